# A total inside of a sum is computed once, before everything else: it was added up again for every element of a row.
tensor A f64[3,4] csr = (0,1):2 (2,0):5 (2,3):1
tensor x f64[4] dense = (0):1 (1):2 (2):3 (3):4
expr y(i) = A(i,j) * x(j) / sum(k, x(k))
> cin
(forall i (y(i) = t1) where (forall j t1 += A(i,j) * x(j) / t)) where (forall k t += x(k))
> out
y = 0.4 0 0.9
