# Both operands sparse: only the coordinates that both store are multiplied.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor x f64[4] sv = (0):2 (2):3
expr y(i) = A(i,j) * x(j)
> cin
forall i (y(i) = t) where (forall j t += A(i,j) * x(j))
> lattice j
produce A(i,j).2 & x(j).1
> out
y = 2 0 12 10
