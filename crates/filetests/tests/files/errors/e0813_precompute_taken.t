# A name that is taken.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule precompute(B(i,j), j, x)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: `x` exists already, and no assignment to it holds the expression
 --> schedule:1:23
  |
1 | precompute(B(i,j), j, x)
  |                       ^
  |
  = help: give the workspace a name of its own
