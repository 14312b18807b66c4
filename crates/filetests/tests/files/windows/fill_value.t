# What is not stored has the fill value inside a window, too.
tensor A f64[3,4] "csr; fill = inf" = (0,1):2 (1,2):1 (2,0):4
tensor x f64[2] dense = (0):1 (1):5
expr y(i) = min(j, A(i,j(1:3)) + x(j))
> out all-backends
y = 3 6 inf
