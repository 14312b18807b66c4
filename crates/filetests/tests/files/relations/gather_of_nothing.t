# A position that is none is an error, with its place.
tensor x f64[5] dense = 10 11 12 13 14
tensor p i64[4] dense = 3 0 5 -1
expr y(i) = x(p(i))
> error E0608
error[E0608]: `p(i)` is 5 at i = 2, and mode 0 of `x` has 5 coordinates
 --> statement:1:10
  |
1 | y(i) = x(p(i))
  |          ^^^^
  |
  = help: positions count from 0 and do not wrap; where one is not needed, say so: where(p(i) >= 0, x(p(i)), 0)
