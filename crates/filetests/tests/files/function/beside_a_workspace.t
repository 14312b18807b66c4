# Where `A` has no row, `u` is nothing whatever `B` stores: `B` is not read beside the row that was added up.
tensor A f64[3,4] dcsr = (0,1):1 (0,2):2 (2,0):3
tensor B f64[3,4] csr = (0,1):1 (1,1):2 (1,2):5 (2,3):3 (2,0):7
tensor M f64[3,2] csr = (0,0):1 (1,1):2 (1,0):3
tensor N f64[2,4] csr = (0,1):1 (1,2):2 (1,3):5
result Y csr
expr def u(x, y): {x != 0} & {y != 0} = where(x != 0, where(y != 0, x + y, 0), 0); Y(j,k) = u(A(j,k), B(j,k)) + sum(l, M(j,l) * N(l,k))
> out all-backends
Y = (0,1):3 (1,1):3 (1,2):4 (1,3):10 (2,0):10
