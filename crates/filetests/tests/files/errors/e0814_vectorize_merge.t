# A merge is not taken in vectors.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[2,3] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule vectorize(j)
expr a(i) = B(i,j) * C(i,j)
> error E0814
error[E0814]: the loop over `j` merges several operands, so its rounds are not counted
 --> statement:1:1
  |
1 | a(i) = B(i,j) * C(i,j)
  | ^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: precompute an operand into a dense workspace, or leave the command out
