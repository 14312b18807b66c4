# Bounds are numbers.
tensor x f64[4] dense = (0):1
expr y(i) = x(i(0:n))
> error E0103
error[E0103]: the bounds and the step of a window are integers, 2^60 at most
 --> statement:1:14
  |
1 | y(i) = x(i(0:n))
  |              ^
  |
  = help: write a window as `i(1:5)` or `i(1:5:2)`, with its numbers in the statement
