tensor A f64[2,3] dense = (0,0):1 (1,2):4
expr y(i) = A(i,j) where i > 0
> out
y = 0 4
