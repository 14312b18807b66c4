tensor A f64[3,4] csc = (0,0):1 (2,1):2
tensor d f64[4] dense = (0):2 (1):4 (2):1 (3):0
expr y(i) = A(i,j) / d(j)
> out
y = NaN NaN NaN
