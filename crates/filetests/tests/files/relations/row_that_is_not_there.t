# A position outside of the dimension is that of nothing.
tensor A f64[4,4] csr = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
tensor s i64[] dense = -1
expr y(j) = A(i,j) * (i == s) + A(i,j) * (i == 4)
> out all-backends
y = 0 0 0 0
