# A result that is symmetric keeps one triangle.
tensor A f64[3,3] csr = (0,2):2 (1,1):3
result B sym
expr B(i,j) = A(i,j) + A(j,i)
> out
B = 0 0 2 0 6 0 2 0 0
