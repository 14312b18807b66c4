# Nothing says which of the two variables takes how many values.
tensor x f64[4] dense = (0):1
expr y(i,d) = x(i+d)
> error E0206
error[E0206]: nothing says how `i` and `d` share the coordinates of `x(i+d)`
 --> statement:1:12
  |
1 | y(i,d) = x(i+d)
  |            ^^^
  |
  = help: give all of them but one a range: as indices of operands, or by their sizes
