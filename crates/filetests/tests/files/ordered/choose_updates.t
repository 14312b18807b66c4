# Variables that the result does not have are reduced in ascending order.
tensor y f64[3] dense = 0 4 0
tensor A f64[3,4] csr = (0,1):2 (0,2):3 (1,0):1
expr y(i) choose= A(i,j)
> cin
forall i (y(i) = choose(y_old(i), t)) where (forall j t choose= A(i,j))
> out all-backends
y = 2 4 0
