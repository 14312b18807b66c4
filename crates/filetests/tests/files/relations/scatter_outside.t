# A place outside of the result is an error where something arrives.
tensor y f64[4] dense =
tensor p i64[3] dense = (0):2 (1):4 (2):0
tensor x f64[3] dense = (0):1 (1):2 (2):4
expr y(p(i)) += x(i)
> error E0608
error[E0608]: `p(i)` is 4 at i = 1, and mode 0 of `y` has 4 coordinates
 --> statement:1:3
  |
1 | y(p(i)) += x(i)
  |   ^^^^
  |
  = help: positions count from 0 and do not wrap; what is for no place is left out so: y(p(i)) += where(p(i) >= 0, x(i), 0)
