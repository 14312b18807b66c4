# Shortest paths of one step: missing edges are infinitely long.
tensor A f64[3,3] "csr; fill = inf" = (0,1):2 (1,2):3 (2,0):1
tensor d f64[3] dense = 0 7 9
expr e(i) = min(j, A(i,j) + d(j))
> cin
forall i (e(i) = t) where (forall j t min= A(i,j) + d(j))
> out
e = 9 12 1
