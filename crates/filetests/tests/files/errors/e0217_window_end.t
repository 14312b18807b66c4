# Nothing is clipped: this window would have two coordinates in Python.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,j(2:6))
> error E0217
error[E0217]: `2:6` is no window of mode 1 of `A`: it has 4 coordinates, and 6 lies beyond its end
 --> statement:1:12
  |
1 | y(i) = A(i,j(2:6))
  |            ^
  |
  = help: bounds are not clipped; leave one out for the start or the end of the mode, as in `i(2:)`
