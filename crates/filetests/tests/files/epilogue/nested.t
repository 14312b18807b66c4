# A sum inside a sum: a row of sums per round of the outer one.
tensor W f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor c f64[2] dense = 10 20
tensor z f64[2] dense = 1 -1
expr y(i) = sum(k, max(0.0, sum(j, W(i,j) * X(j,k)) - c(k)) * z(k))
> cin
forall i (y(i) = t) where ((forall k t += max(0.0, t1(k) - c(k)) * z(k)) where (forall j forall k t1(k) += W(i,j) * X(j,k)))
> out
y = 5 0 3
