# A scaled sum is no sum: a row of sums is computed first.
tensor W f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor C f64[3,2] dense = 10 20 30 40 50 60
expr Y(i,k) = 2 * sum(j, W(i,j) * X(j,k)) + 3 * C(i,k)
> cin
forall i (forall k Y(i,k) = 2.0 * t(k) + 3.0 * C(i,k)) where (forall j forall k t(k) += W(i,j) * X(j,k))
> out
Y = 60 96 90 120 208 252
