# What the mask leaves out of a minimum is what one of nothing is.
tensor A f64[3,3] "csr; fill = inf" = (0,0):1 (0,1):4 (1,1):2 (2,2):5
tensor x f64[3] dense = (0):1 (1):2 (2):3
tensor m bool[3] sv = (0):false (2):true
expr y(i) = min_plus(j, A(i,j), x(j)) where structure(m(i))
> out
y = 2 inf 8
