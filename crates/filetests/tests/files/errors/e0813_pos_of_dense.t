# A level that stores every value has no positions.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor D f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
schedule pos(i,ipos,B(i,j))
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: B(i,j) stores every value of `i`, so it has no positions of its own
 --> schedule:1:12
  |
1 | pos(i,ipos,B(i,j))
  |            ^^^^^^
  |
  = help: leave the command out
