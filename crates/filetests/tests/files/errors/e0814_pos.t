# Positions have no loops of their own.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule pos(j,jpos,B)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: loops over positions follow from the formats; they have no variables of their own
 --> schedule:1:1
  |
1 | pos(j,jpos,B)
  | ^^^^^^^^^^^^^
  |
  = help: leave it out: a single sparse operand is walked by position anyway
