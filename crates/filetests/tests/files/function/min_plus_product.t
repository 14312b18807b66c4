tensor A f64[3,3] "csr; fill = inf" = (0,0):1 (0,1):4 (2,1):2
tensor B f64[3,3] "csr; fill = inf" = (0,2):1 (1,2):1 (1,0):7
expr C(i,k) = min_plus(j, A(i,j), B(j,k))
> lattice k
produce B(j,k).2
produce t(k).1
> out
C = 11 inf 2 inf inf inf 9 inf 3
