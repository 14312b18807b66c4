# The statement ends too early.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,j) * 
> error E0102
error[E0102]: the statement ends where an operand should follow
 --> statement:1:16
  |
1 | y(i) = A(i,j) *
  |                ^
  |
  = help: a statement looks like y(i) = A(i,j) * x(j)
