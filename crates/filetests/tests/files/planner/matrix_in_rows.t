# What varies with the row as well stays inside: a whole product would take more memory than a row of it.
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,2):3 (2,0):4
tensor B f64[3,2] csr = (0,1):5 (2,0):6 (2,1):7
tensor M f64[3,2] csr = (0,0):1 (0,1):1 (2,1):2
expr y(i) = sum(k, M(i,k) * sum(j, A(i,j) * B(j,k)))
> cin
forall i (y(i) = t) where ((forall k t += M(i,k) * t1(k)) where (forall j forall k t1(k) += A(i,j) * B(j,k)))
> out
y = 31 0 40
