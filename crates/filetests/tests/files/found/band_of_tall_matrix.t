tensor A f64[5,2] banded = (0,0):1 (1,1):2
result y csr
expr y(i,j) = A(i,j)
> out
y = (0,0):1 (1,1):2
