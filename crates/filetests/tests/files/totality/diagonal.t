# The diagonal of a sparse matrix.
tensor A f64[3,3] csc = (0,0):2 (0,2):1 (2,2):5
result d f64 s
expr d(i) = A(i,i)
> out
d = 2 0 5
