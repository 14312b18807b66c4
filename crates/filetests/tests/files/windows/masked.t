# A mask may be a part.
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4
tensor x f64[3] dense = (0):1 (1):10 (2):100
tensor m bool[5] dense = (1):true (3):true
expr y(i) = A(i,j) * x(j) where !m(i(1:4))
> out all-backends
y = 0 30 0
