# The inner reduction has its own j; the result's i is not the i that is summed.
tensor A f64[2,2] csr = (0,1):2 (1,0):3
tensor x f64[2] dense = 10 100
expr y(i) = x(i) * sum(j, A(i,j) * sum(i, A(i,j)))
> cin
(forall i (y(i) = x(i) * t1) where (forall j t1 += A(i,j) * t(j))) where (forall i1 forall j t(j) += A(i1,j))
> out
y = 40 900
