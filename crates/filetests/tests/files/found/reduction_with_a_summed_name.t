# The `j` of the minimum is another one than the `j` that is summed over, and parts no sum from it.
tensor A f64[2,2] csr = (0,0):1 (1,1):2
tensor B f64[2] dense = 5 6
tensor C f64[2,2] csr = (0,1):3 (1,0):-4
expr y = A(i,j) + sum(i, min(j, B(i) + max(C(i,j), i)))
> out
y = 15
