# A loop leaves a where statement only if its right side does not use the variable.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
result A csr
schedule reorder(j,i)
expr A(i,j) = B(i,k) * C(k,j)
> error E0813
error[E0813]: `j` is bound inside a where statement and `i` around it: a loop leaves a where statement only if its right side does not use the variable
 --> schedule:1:1
  |
1 | reorder(j,i)
  | ^^^^^^^^^^^^
  |
  = help: reorder before the workspace is made, or each side for itself
