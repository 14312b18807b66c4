# The sum belongs to the product alone.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor x f64[4] dense = 1 10 100 1000
tensor b f64[4] dense = 1 2 3 4
expr y(i) = b(i) + A(i,j) * x(j)
> cin
forall i (y(i) = b(i) + t) where (forall j t += A(i,j) * x(j))
> out
y = 2002 2 433 9
