# The range of `i` is fixed, and the sum leaves the mode.
tensor x f64[4] dense = (0):1
tensor b f64[4] dense = (0):1
expr y(i) = b(i) + x(i+1)
> error E0217
error[E0217]: `x(i+1)` reaches 4, beyond the end of mode 0 of `x`, which has 4 coordinates
 --> statement:1:17
  |
1 | y(i) = b(i) + x(i+1)
  |                 ^^^
  |
  = help: `i` takes 4 values; take a part of what fixes them, as in i(0:-1), or write padded(x(…)) for the fill value outside
