# An update changes nothing where the mask is false.
tensor A f64[2,3] dense = (0,0):1 (0,1):4 (1,1):2
tensor y f64[2] dense = (0):2 (1):3
tensor m bool[2] dense = (1):true
expr y(i) min= A(i,j) where m(i)
> out
y = 2 0
