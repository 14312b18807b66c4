# Of integers, those that values flow into; products are cheaper with the number in sight.
tensor A i64[3,4] csr = (0,1):25 (0,3):2 (1,0):-1 (2,2):75
expr y(i) = sum(j, (A(i,j) > 5) * (3 * A(i,j) + 8 * A(i,j))) + i
> literals
literals_i64: 5
> out
y = 275 1 827
