# What one factor alone is summed over is summed before the loops of others.
tensor A f64[60,20] csr = (0,1):2 (2,0):1 (2,3):-3 (59,7):0.5
tensor u f64[400] dense = (0):1 (7):2 (399):4
expr f(i) = A(i,j) * u(k)
> cin
(forall i (f(i) = t1) where (forall j t1 += A(i,j) * t)) where (forall k t += u(k))
