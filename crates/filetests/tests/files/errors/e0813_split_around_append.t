# What a result is appended to is visited once.
tensor A f64[3,2] dense = 1 0 0 2 3 4
result B "(i,j) -> (j,i) : compressed, dense"
schedule reorder(j,i); split(i,i0,i1,2); reorder(i0,j,i1)
expr B(i,j) = A(i,j) * 2
> error E0813
error[E0813]: B(i,j) is appended to as (i0,i1) -> (i1,i0) : compressed, dense, so the loop over `j` must be outside of the one over `i0`
 --> schedule:1:33
  |
1 | reorder(j,i); split(i,i0,i1,2); reorder(i0,j,i1)
  |                                 ^^^^^^^^^^^^^^^^
  |
  = help: reorder the loops, compute into a workspace, or store that tensor in another order
