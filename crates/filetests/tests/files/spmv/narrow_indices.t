# Narrow index arrays are read in their own width.
tensor A f64[4,4] "dcsr; pos = u8; crd = u16" = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor x f64[4] dense = 1 10 100 1000
expr y(i) = A(i,j) * x(j)
> out
y = 2001 0 430 5
