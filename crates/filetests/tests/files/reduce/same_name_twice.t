# The inner reduction has its own j; the result's i is not the i that is summed.
tensor A f64[2,2] csr = (0,1):2 (1,0):3
tensor x f64[2] dense = 10 100
expr y(i) = x(i) * sum(j, A(i,j) * sum(i, A(i,j)))
> cin
forall i (y(i) = x(i) * t) where ((forall j t += A(i,j) * t1(j)) where (forall i1 forall j t1(j) += A(i1,j)))
> out
y = 40 900
