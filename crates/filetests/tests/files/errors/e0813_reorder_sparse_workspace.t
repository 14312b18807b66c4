# A loop that reads a sparse workspace stays inside of its where statement.
tensor A f64[3,2] dense = 1 2 3 4 5 6
schedule reorder(i,j); precompute(A(j,i), {j}, {jw}, w, hash); reorder(j,i)
expr y(i) = A(j,i)
> error E0813
error[E0813]: w(j) is a sparse workspace, so the loop over `j` that reads it must be inside of the where statement
 --> schedule:1:55
  |
1 | reorder(i,j); precompute(A(j,i), {j}, {jw}, w, hash); reorder(j,i)
  |                                                       ^^^^^^^^^^^^
  |
  = help: reorder the loops, compute into a workspace, or store that tensor in another order
