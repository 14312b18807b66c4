# Only an innermost loop is taken in vectors.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule vectorize(i)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: rounds of the loop over `i` are not independent: they branch, loop, append or meet again
 --> statement:1:1
  |
1 | y(i) = B(i,j) * x(j)
  | ^^^^^^^^^^^^^^^^^^^^
  |
  = help: only an innermost loop that assigns or adds up can be taken in vectors
