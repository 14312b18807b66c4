# The greatest product of a row of padded slots.
tensor A f64[5,4] ell = (0,0):1 (0,2):2 (2,3):3 (4,1):-1 (4,2):-3
tensor x f64[4] dense = 1 2 3 inf
expr y(i) = max(j, A(i,j) * x(j))
> out
y = 6 0 inf 0 0
