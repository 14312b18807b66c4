# The number of indices is not that of the modes.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i)
> error E0202
error[E0202]: `A` has 2 modes, but is used with 1 indices
 --> statement:1:8
  |
1 | y(i) = A(i)
  |        ^^^^
