# What lor, land, lxor and lxnor sum is truth values, of integers and floats as well: `land_first` of 6 alone was 6 & 1.
tensor A i64[3,2] csr = (0,0):2 (0,1):3 (1,1):6
tensor x i64[2] dense = (0):4 (1):5
result y dense
expr y(i) = land_first(j, A(i,j), x(j))
> out
y = true true true
