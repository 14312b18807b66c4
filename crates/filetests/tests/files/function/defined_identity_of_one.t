# A function that commutes has its identity on either side.
tensor A i64[3,4] csr = (0,0):12 (0,3):10 (2,1):6
result y i64 dense
expr def bits(x, y): commutative, associative, idempotent, identity(0, x) = x | y; y(i) = bits(j, A(i,j) + 1)
> cin
forall i ((y(i) = with_fill(bits, t, t1, 1, j)) where (forall j t bits= stored(A(i,j) + 1))) where (forall j t1 += stored(A(i,j) + 1, 1))
> out
y = 15 1 7
