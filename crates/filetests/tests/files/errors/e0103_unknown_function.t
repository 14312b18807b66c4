expr y(i) = sqrt(A(i))
> error E0201
error[E0201]: nothing is known of the tensor `A`
 --> statement:1:13
  |
1 | y(i) = sqrt(A(i))
  |             ^
  |
  = help: give it as an operand
