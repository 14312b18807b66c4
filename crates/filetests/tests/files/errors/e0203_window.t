# Windows of different sizes under one variable.
tensor x f64[9] dense = (0):1
expr y(i) = x(i(1:9)) - x(i(0:7))
> error E0203
error[E0203]: `i` ranges over 8 values, but `0:7` of mode 0 of `x` has 7
 --> statement:1:22
  |
1 | y(i) = x(i(1:9)) - x(i(0:7))
  |          - size 8    ^ size 7
  |
  = help: use different index variables, or operands of matching shapes
