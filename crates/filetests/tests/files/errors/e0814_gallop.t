# A dense operand is looked up, so nothing is intersected.
tensor B f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
schedule gallop(j)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: the loop over `j` does not intersect sorted lists
 --> statement:1:1
  |
1 | y(i) = B(i,j) * x(j)
  | ^^^^^^^^^^^^^^^^^^^^
  |
  = help: leave gallop out
