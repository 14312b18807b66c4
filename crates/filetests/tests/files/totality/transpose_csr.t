tensor A f64[2,3] csr = (0,1):2 (1,0):1
result B f64 csr
expr B(j,i) = A(i,j)
> out
B = 0 1 2 0 0 0
