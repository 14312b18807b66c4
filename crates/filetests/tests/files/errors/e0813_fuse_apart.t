# Only loops right inside each other are fused.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor D f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
schedule fuse(j,i,f)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: the loop over `i` is not right inside the one over `j`
 --> schedule:1:1
  |
1 | fuse(j,i,f)
  | ^^^^^^^^^^^
  |
  = help: reorder the two next to each other first
