# A command whose name is mistyped.
tensor B f64[2,3] csr = (0,1):2
schedule reodrer(i,j)
expr y(i) = B(i,j)
> error E0811
error[E0811]: there is no schedule command `reodrer`
 --> schedule:1:1
  |
1 | reodrer(i,j)
  | ^^^^^^^
  |
  = help: did you mean `reorder`? the commands are reorder, precompute, unroll, vectorize, parallelize, bound, assemble, split, divide, fuse, pos, gallop
