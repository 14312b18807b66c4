# Nor is what lies before the start.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,j(-5:3))
> error E0217
error[E0217]: `-5:3` is no window of mode 1 of `A`: it has 4 coordinates, and -5 lies before its start
 --> statement:1:12
  |
1 | y(i) = A(i,j(-5:3))
  |            ^
  |
  = help: bounds are not clipped; leave one out for the start or the end of the mode, as in `i(2:)`
