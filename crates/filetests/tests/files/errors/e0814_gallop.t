# No level is searched by galloping.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule gallop(j)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: merges step through both operands; no level is searched by galloping
 --> schedule:1:1
  |
1 | gallop(j)
  | ^^^^^^^^^
  |
  = help: store the longer operand with a level that is looked up in: hash, bitmap
