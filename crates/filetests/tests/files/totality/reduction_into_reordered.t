# A reduction and a transposed operand meet in a sparse result.
tensor B f64[2,2] csr = (0,1):3
tensor D f64[2,2,2] csf = (0,0,1):1 (1,0,0):2 (1,0,1):2
result C f64 csr
expr C(i,j) = B(j,i) + sum(k, D(i,j,k))
> out
C = 1 0 7 0
