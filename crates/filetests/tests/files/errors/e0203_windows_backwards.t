# Windows that run backwards are of one size where they are of one variable.
tensor x f64[6] dense = 1 2 3 4 5 6
expr y(i) = x(i(4:1:-1)) + x(i(5:1:-1))
> error E0203
error[E0203]: `i` ranges over 3 values, but `5:1:-1` of mode 0 of `x` has 4
 --> statement:1:25
  |
1 | y(i) = x(i(4:1:-1)) + x(i(5:1:-1))
  |                         ^
  |
  = help: use different index variables, or operands of matching shapes
