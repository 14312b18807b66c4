# A window of all coordinates is none.
tensor A f64[3,3] csr = (0,0):1 (1,2):2
tensor x f64[3] dense = (0):1 (1):1 (2):1
expr y(i) = A(i(:),j(::1)) * x(j)
> cin
forall i (y(i) = t) where (forall j t += A(i,j) * x(j))
> out all-backends
y = 1 2 0
