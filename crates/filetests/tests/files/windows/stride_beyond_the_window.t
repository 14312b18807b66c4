# One coordinate is left.
tensor A f64[4,5] csc = (1,1):2 (1,4):3 (3,1):9
expr B(i,j) = A(i(1:3:7),j(1:5:9))
> out all-backends
B = 2
