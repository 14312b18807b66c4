# What varies with one variable only is computed once, and not again for every row.
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,2):3 (2,0):4
tensor B f64[3,2] csr = (0,1):5 (2,0):6 (2,1):7
tensor x f64[2] dense = 1 10
expr y(i) = sum(j, A(i,j) * sum(k, B(j,k) * x(k)))
> cin
(forall i (y(i) = t1) where (forall j t1 += A(i,j) * t(j))) where (forall j forall k t(j) += B(j,k) * x(k))
> out
y = 202 228 200
