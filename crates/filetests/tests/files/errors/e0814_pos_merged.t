# Rounds of a merge are not the positions of one operand.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor D f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
result A csr
schedule pos(j,jpos,B(i,j))
expr A(i,j) = B(i,j) + D(i,j)
> error E0814
error[E0814]: the loop over `j` meets D(i,j) as well, so its rounds are not the positions of one
 --> schedule:1:1
  |
1 | pos(j,jpos,B(i,j))
  | ^^^^^^^^^^^^^^^^^^
  |
  = help: leave the command out: the two are merged
