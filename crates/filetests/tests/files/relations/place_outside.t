# A place that is none is refused, with the place of what is sent.
tensor p i64[3] dense = 1 7 0
tensor x f64[3] dense = 1 2 4
result y[3] dense
expr y(p(i)) = x(i)
> error E0608
error[E0608]: `p(i)` is 7 at i = 1, and mode 0 of `y` has 3 coordinates
 --> statement:1:3
  |
1 | y(p(i)) = x(i)
  |   ^^^^
  |
  = help: positions count from 0 and do not wrap; what is for no place is left out so: y(p(i)) += where(p(i) >= 0, x(i), 0)
