# Names in parentheses after an unknown one may be indices or values.
tensor a f64[] dense = 1
tensor b f64[] dense = 2
expr y = mx(a, b)
> error E0201
error[E0201]: nothing is known of the tensor `mx`
 --> statement:1:5
  |
1 | y = mx(a, b)
  |     ^^
  |
  = help: did you mean `max`? known tensors are a, b; give the others as operands
