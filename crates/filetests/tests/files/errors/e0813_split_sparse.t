# Only a loop over a dense dimension is split.
tensor B f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
schedule split(j,j0,j1,2)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: the loop over `j` visits what B(i,j) stores, not a whole dimension
 --> schedule:1:1
  |
1 | split(j,j0,j1,2)
  | ^^^^^^^^^^^^^^^^
  |
  = help: split a loop over a dense dimension
