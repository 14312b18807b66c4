tensor A f64[3,3] csr = (0,0):1 (0,1):4 (2,1):2
tensor x f64[3] dense = (0):1 (1):2 (2):3
tensor m bool[3] s = (0):true (1):false
expr y(i) = A(i,j) * x(j) where m(i)
> cin
forall i (y(i) = where(m(i), t, 0.0)) where (forall j t += A(i,j) * x(j))
> out
y = 9 0 0
