# Reuse needs the expression at the outermost operator.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
result A f64 dense
schedule precompute(B(i,j), {i,j}, A)
expr A(i,j) = 2 * (B(i,j) + C(j,i) * 3) - 1
> error E0813
error[E0813]: the expression is inside more than one operator, or one that nothing can be added to by
 --> schedule:1:12
  |
1 | precompute(B(i,j), {i,j}, A)
  |            ^^^^^^
  |
  = help: only an operand of the outermost +, *, min, max, … can be assigned first
