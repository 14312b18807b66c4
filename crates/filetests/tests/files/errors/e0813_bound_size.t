# A size that contradicts the operands.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule bound(i,ib,7,MaxExact)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: `i` has 2 values, not 7
 --> schedule:1:12
  |
1 | bound(i,ib,7,MaxExact)
  |            ^
  |
  = help: leave the command out
