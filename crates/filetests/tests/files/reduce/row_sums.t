# Row sums of a sparse matrix.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
expr y(i) = A(i,j)
> cin
forall i (y(i) = t) where (forall j t += A(i,j))
> out
y = 3 0 7 5
