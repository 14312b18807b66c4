# A schedule rewrites the loops over whole operands: parts are taken out first.
tensor A f64[6,6] csr = (1,2):1 (2,4):2 (3,3):3 (5,5):9
tensor x f64[3] dense = (0):1 (1):10 (2):100
schedule split(i, i0, i1, 2)
expr y(i) = A(i(1:5),j(2:5)) * x(j)
> cin
forall i0 forall i1 forall i (y(i) = t) where (forall j t += A(i,j) * x(j))
> out all-backends
y = 1 200 30 0
