# A window on the left is a part of what there is.
tensor A f64[3,4] csr = (0,1):2
expr y(i(0:2)) = A(i,j)
> error E0201
error[E0201]: nothing is known of the tensor `y`
 --> statement:1:1
  |
1 | y(i(0:2)) = A(i,j)
  | ^
  |
  = help: this reads the old value of `y`: give it as an operand
