# A fused loop has a name of its own.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor D f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
schedule fuse(i,j,x)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: `x` is a name of the statement already
 --> schedule:1:10
  |
1 | fuse(i,j,x)
  |          ^
  |
  = help: choose another
