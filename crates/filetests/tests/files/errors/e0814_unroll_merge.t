# A merge has no count to unroll.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[2,3] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
result A csr
schedule unroll(j,2)
expr A(i,j) = B(i,j) + C(i,j)
> error E0814
error[E0814]: the loop over `j` merges several operands, so its rounds are not counted
 --> statement:1:1
  |
1 | A(i,j) = B(i,j) + C(i,j)
  | ^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: precompute an operand into a dense workspace, or leave the command out
