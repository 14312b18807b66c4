# The other order.
tensor A f64[3,4] csr = (2,0):5 (1,1):4 (1,3):3 (2,3):2
expr y = choose(j, i, A(i,j))
> cin
(y = t) where (forall j forall i t choose= A(i,j))
> out all-backends
y = 5
