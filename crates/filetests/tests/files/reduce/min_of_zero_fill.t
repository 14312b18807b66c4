# The zeros that are not stored take part in a minimum.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
expr y(i) = min(j, A(i,j))
> out
y = 0 0 0 0
