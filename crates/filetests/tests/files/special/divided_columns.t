# The same with a divisor of each column, and a result in another format.
tensor A f64[3,4] dcsr = (0,0):1 (2,1):2
tensor d f64[4] dense = (0):2 (1):4 (2):0 (3):8
result Y dcsr
expr Y(i,j) = A(i,j) / d(j)
> out
Y = (0,0):0.5 (0,2):NaN (1,2):NaN (2,1):0.5 (2,2):NaN
