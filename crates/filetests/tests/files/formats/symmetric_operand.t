# One triangle is stored; the other is read from it.
tensor A f64[3,3] sym = (0,0):1 (0,2):2 (2,0):2 (1,1):3
tensor x f64[3] dense = (0):1 (1):2 (2):3
expr y(i) = A(i,j) * x(j)
> out
y = 7 6 2
