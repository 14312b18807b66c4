# The same into a list.
tensor y f64[6] sv = (1):9 (4):0
tensor p i64[4,2] dense = 2 1 4 2 0 3 2 4
tensor A f64[4,2] csr = (0,0):0 (0,1):2 (1,0):3 (2,0):5 (3,0):6 (3,1):7
result y sv
expr y(p(i,j)) choose= A(i,j)
> out all-backends
y = 5 9 6 0 3 0
