# Padding is of an access.
tensor x f64[4] dense = (0):1
expr y(i) = padded(x(i) + 1)
> error E0204
error[E0204]: `padded` is about one tensor, at indices that may be outside of it
 --> statement:1:8
  |
1 | y(i) = padded(x(i) + 1)
  |        ^^^^^^^^^^^^^^^^
  |
  = help: write `padded(x(i+1))` for its fill value outside, `padded(x(i+1), 2)` for another one
