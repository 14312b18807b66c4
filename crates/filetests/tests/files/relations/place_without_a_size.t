# Nothing says how many elements the result has.
tensor p i64[3] dense = 1 2 0
tensor x f64[3] dense = 1 2 4
expr y(p(i)) = x(i)
> error E0206
error[E0206]: nothing says how many coordinates mode 0 of `y` has
 --> statement:1:3
  |
1 | y(p(i)) = x(i)
  |   ^^^^
  |
  = help: give `y` a shape beside the sizes of index variables
