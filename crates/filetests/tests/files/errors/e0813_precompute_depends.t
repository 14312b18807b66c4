# A variable on which the expression does not depend.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule precompute(x(j), i, w)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: the expression does not depend on `i`
 --> schedule:1:12
  |
1 | precompute(x(j), i, w)
  |            ^^^^
  |
  = help: leave that variable out
