# Computed indices on the left are refused by name.
tensor A f64[3,4] csr = (0,1):2
expr y(i+1) = A(i,j)
> error E0103
error[E0103]: an index on the left is a plain variable; computed ones are not supported yet
 --> statement:1:3
  |
1 | y(i+1) = A(i,j)
  |   ^^^
  |
  = help: say where by a comparison, as in y(k) = sum(i, x(i) * (k == p(i)))
