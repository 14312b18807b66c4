# Where `A` has no row, `u` is nothing whatever `B` stores: `B` is not read in the one loop over the three others.
tensor A f64[3,4] dcsr = (0,1):1 (0,2):2 (2,0):3
tensor B f64[3,4] csr = (0,1):1 (1,1):2 (1,2):5 (2,3):3 (2,0):7
tensor C f64[4] sv = (1):1 (3):-2
tensor D f64[4,3] csr = (0,1):1 (2,1):3 (3,0):2
tensor E f64[3,4] csr = (0,0):1 (1,3):1 (2,2):4
expr def u(x, y): {x != 0} & {y != 0} = where(x != 0, where(y != 0, x + y, 0), 0); Y(k,j) = u(A(j,k), B(j,k)) + max(C(k), D(k,j)) + E(j,k)
> out all-backends
Y = 1 1 10 3 1 1 0 3 4 2 1 0
