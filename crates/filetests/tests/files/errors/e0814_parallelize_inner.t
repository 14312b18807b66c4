# Only the outermost loop is distributed.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule parallelize(j)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: the loop over `j` is not the outermost one around the whole statement
 --> schedule:1:13
  |
1 | parallelize(j)
  |             ^
  |
  = help: only the outermost loop is distributed over threads
