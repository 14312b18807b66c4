# The product of the semiring of logarithms, sparse: what has no path is -inf.
tensor A f64[3,4] "csr; fill = -inf" = (0,1):0 (0,3):-1 (1,2):2 (2,0):-3
tensor B f64[4,3] "csr; fill = -inf" = (0,0):1 (1,2):-2 (1,1):0 (3,1):4 (2,2):-inf
tensor C f64[3,3] "csr; fill = -inf"
expr C(i,k) = logaddexp(j, A(i,j) + B(j,k))
> cin
forall i ((forall k C(i,k) = min(max(t(k), f64(-1.7976931348623157e308)), 1.7976931348623157e308) + log(t1(k))) where ((forall j forall k t1(k) += exp(A(i,j) + B(j,k) - min(max(t2(k), f64(-1.7976931348623157e308)), 1.7976931348623157e308))) where (forall j1 forall k t2(k) max= A(i,j1) + B(j1,k)))) where (forall j forall k t(k) max= A(i,j) + B(j,k))
> out
C = -inf 3.048587351573742 -2 -inf -inf -inf -2 -inf -inf
