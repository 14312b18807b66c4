# Sparse matrix times dense vector.
tensor A f64[3,4] csr = (0,1):2 (2,0):5
tensor x f64[4] dense = 1 1 1 1
expr y(i) = A(i,j) * x(j)
> cin
forall i (y(i) = t) where (forall j t += A(i,j) * x(j))
> out
y = 2 0 5
