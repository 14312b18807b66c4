# A tensor that nobody declared.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,j) * x(j)
> error E0201
error[E0201]: nothing is known of the tensor `x`
 --> statement:1:17
  |
1 | y(i) = A(i,j) * x(j)
  |                 ^
  |
  = help: known tensors are A; give the others as operands
