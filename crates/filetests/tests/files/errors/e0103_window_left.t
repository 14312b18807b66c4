# Windows on the left would assign a part of a tensor.
tensor A f64[3,4] csr = (0,1):2
expr y(i(0:2)) = A(i,j)
> error E0103
error[E0103]: windows stand on the right only
 --> statement:1:1
  |
1 | y(i(0:2)) = A(i,j)
  | ^^^^^^^^^
  |
  = help: read a window on the right, and assign to a tensor of its size
