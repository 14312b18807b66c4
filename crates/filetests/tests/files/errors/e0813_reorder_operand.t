# An operand would be walked out of its storage order.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule reorder(j,i)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: B(i,j) is stored as csr, so its loop over `i` must be outside of the one over `j`
 --> schedule:1:1
  |
1 | reorder(j,i)
  | ^^^^^^^^^^^^
  |
  = help: reorder the loops, compute into a workspace, or store that tensor in another order
