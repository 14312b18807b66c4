# A factor of the finished sum.
tensor W f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor b f64[3] dense = 10 -100 30
expr Y(i,k) = sum(j, W(i,j) * X(j,k)) / b(i)
> cin
forall i (forall k Y(i,k) = t(k) / b(i)) where (forall j forall k t(k) += W(i,j) * X(j,k))
> out
Y = 1.5 1.8 -0 -0 0.9666666666666667 1.2
