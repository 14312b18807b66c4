# A command that does not exist.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule tile(i,j)
expr y(i) = B(i,j) * x(j)
> error E0811
error[E0811]: there is no schedule command `tile`
 --> schedule:1:1
  |
1 | tile(i,j)
  | ^^^^
  |
  = help: the commands are reorder, precompute, unroll, vectorize, parallelize, bound, assemble, split, divide, fuse, pos, gallop
