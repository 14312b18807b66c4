tensor A f64[3,3] "csr; fill = inf" = (0,0):1 (0,1):4 (2,1):2
tensor x f64[3] "s; fill = inf" = (1):1
expr y(i) = min_first(j, A(i,j), x(j))
> out
y = 4 inf 2
