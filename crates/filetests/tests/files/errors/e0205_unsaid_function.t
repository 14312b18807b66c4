# The smaller of one value: what is meant reduces.
tensor A f64[3,4] csr = (0,1):2
tensor x f64[4] dense = (1):2
expr d(i) = min(A(i,j) + x(j))
> error E0205
error[E0205]: `min` does not say which variables it reduces over
 --> statement:1:8
  |
1 | d(i) = min(A(i,j) + x(j))
  |        ^^^^^^^^^^^^^^^^^^
  |
  = help: they come first: `min(j, A(i,j) + x(j))`
