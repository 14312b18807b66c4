# The same with a quotient.
tensor A f64[1,4] rle = (0,1):3
tensor B f64[1,4] ell = (0,0):1 (0,2):2
expr Y(i,j) = A(i,j) / (1 - B(i,j))
> out
Y = NaN 3 -0 0
