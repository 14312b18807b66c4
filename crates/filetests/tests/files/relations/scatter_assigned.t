# `=` does not say which of several values counts.
tensor p i64[3] dense = (0):2 (1):4 (2):0
tensor x f64[3] dense = (0):1 (1):2 (2):4
expr y(p(i)) = x(i)
> error E0103
error[E0103]: `=` does not say what becomes of several values for one place
 --> statement:1:3
  |
1 | y(p(i)) = x(i)
  |   ^^^^
  |
  = help: update what a tensor holds: y(p(i)) += x(i), or min= or max=
