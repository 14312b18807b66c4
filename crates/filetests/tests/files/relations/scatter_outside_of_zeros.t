# No element of the result decides at a place that it does not have, though it is 0 wherever there is one.
tensor y f64[2] dense =
tensor p i64[2] hash = (0):2
tensor x f64[2] dense = (0):3 (1):3
expr y(p(i)) *= x(i)
> error E0608
error[E0608]: `p(i)` is 2 at i = 0, and mode 0 of `y` has 2 coordinates
 --> statement:1:3
  |
1 | y(p(i)) *= x(i)
  |   ^^^^
  |
  = help: positions count from 0 and do not wrap; what is for no place is left out so: y(p(i)) += where(p(i) >= 0, x(i), 0)
