# An empty window has no coordinates, wherever it begins.
tensor A f64[4,4] csr = (0,0):1 (1,1):2 (2,2):9
tensor x f64[5] dense = (4):3
expr y = sum(i, sum(j, A(i(2:2),j(4:)))) + sum(k, x(k(3:1)))
> out all-backends
y = 0
