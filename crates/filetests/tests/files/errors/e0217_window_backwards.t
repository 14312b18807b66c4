# A bound that no coordinate has.
tensor x f64[4] dense =
expr y(i) = x(i(4:0:-1))
> error E0217
error[E0217]: `4:0:-1` is no window of mode 0 of `x`: it has 4 coordinates, and 4 lies beyond its end
 --> statement:1:10
  |
1 | y(i) = x(i(4:0:-1))
  |          ^
  |
  = help: bounds are not clipped; leave one out for the start or the end of the mode, as in `i(2:)`
