# A tensor that the statement does not have.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule assemble(Q,Append)
expr y(i) = B(i,j) * x(j)
> error E0812
error[E0812]: the statement has no tensor `Q`
 --> schedule:1:10
  |
1 | assemble(Q,Append)
  |          ^
  |
  = help: it has B, x, y, t
