# Anything done with the finished sum: a row of sums is computed first.
tensor W f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor b f64[3] dense = 10 -100 30
expr Y(i,k) = max(0.0, sum(j, W(i,j) * X(j,k)) + b(i))
> cin
forall i (forall k Y(i,k) = max(0.0, t(k) + b(i))) where (forall j forall k t(k) += W(i,j) * X(j,k))
> out
Y = 25 28 0 0 59 66
