# Narrow index arrays of an operand bind neither its converted form nor the result.
tensor A f64[300,2] "csr; crd = u8" = (299,1):2
tensor B f64[300,2] csc = (0,1):1
result C f64 s
expr C(i) = A(i,j) + B(i,j)
> out
C = (0):1 (299):2
