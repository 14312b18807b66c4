# Losses say their sums: over what is squared, and outside of it.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr e = sum(i, (y(i) - sum(j, A(i,j) * x(j)))**2)
> out
e = 10
