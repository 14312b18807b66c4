# Loops are not fused.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule fuse(i,j,f)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: two loops are not fused into one
 --> schedule:1:1
  |
1 | fuse(i,j,f)
  | ^^^^^^^^^^^
  |
  = help: a coordinate list, coo, is walked by one loop over all of its coordinates
