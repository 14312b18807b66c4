# inf + -inf is NaN, also where A stores nothing.
tensor A f64[3,3] "csr; fill = inf" = (0,0):1 (2,1):2
tensor x f64[3] dense = (0):1 (1):4 (2):-inf
expr y(i) = min(j, A(i,j) + x(j))
> out
y = NaN NaN NaN
