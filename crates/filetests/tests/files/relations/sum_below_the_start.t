# Ranges begin at 0.
tensor x f64[4] dense = (0):1
tensor w f64[3] dense = (0):1
expr y(i) = x(i-d) * w(d)
> error E0217
error[E0217]: `x(i-d)` is outside of mode 0 of `x` where `i` is 0
 --> statement:1:10
  |
1 | y(i) = x(i-d) * w(d)
  |          ^^^
  |
  = help: ranges begin at 0: write x(i-d+2), or padded(x(…)) for the fill value outside
