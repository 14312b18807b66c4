tensor A f64[2,2] csr = (0,0):3 (1,1):1
tensor B f64[2,2] csr = (0,0):1 (1,0):1 (1,1):2
expr y(i) = plus_land(j, A(i,j), B(i,j))
> out
y = 1 1
