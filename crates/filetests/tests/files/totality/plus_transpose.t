# The same sparse operand in two orders: one use is converted.
tensor A f64[3,3] csr = (0,1):2 (0,2):1 (2,1):5
result C f64 csr
expr C(i,j) = A(i,j) + A(j,i)
> out
C = 0 2 1 2 0 5 1 5 0
