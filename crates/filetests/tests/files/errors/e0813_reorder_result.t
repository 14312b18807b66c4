# A result would be appended to out of order.
tensor B f64[2,3] csr = (0,1):2
tensor z f64[2] sv = (0):3
tensor x f64[3] dense = 1 1 1
result A csr
schedule reorder(j,i)
expr A(i,j) = x(j) * z(i)
> error E0813
error[E0813]: A(i,j) is appended to as csr, so the loop over `i` must be outside of the one over `j`
 --> schedule:1:1
  |
1 | reorder(j,i)
  | ^^^^^^^^^^^^
  |
  = help: reorder the loops, compute into a workspace, or store that tensor in another order
