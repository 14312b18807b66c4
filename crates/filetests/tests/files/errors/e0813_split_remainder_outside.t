# Rows that are appended come in order.
tensor A f64[3,2] csr = (0,0):1 (1,1):2 (2,0):3 (2,1):4
result B csr
schedule split(i,i0,i1,2); reorder(i1,i0)
expr B(i,j) = A(i,j) * 2
> error E0813
error[E0813]: B(i,j) is appended to as csr, so the loop over `i0` must be outside of the one over `i1`
 --> schedule:1:19
  |
1 | split(i,i0,i1,2); reorder(i1,i0)
  |                   ^^^^^^^^^^^^^^
  |
  = help: reorder the loops, compute into a workspace, or store that tensor in another order
