# Rows divided by their sums, where one has nothing to add up.
tensor A f64[3,3] csr = (0,0):1 (0,2):3 (2,1):5
result Y csr
expr Y(i,j) = A(i,j) / sum(k, A(i,k))
> cin
forall i (forall j Y(i,j) = A(i,j) / t) where (forall k t += A(i,k))
> out
Y = 0.25 0 0.75 NaN NaN NaN 0 1 0
