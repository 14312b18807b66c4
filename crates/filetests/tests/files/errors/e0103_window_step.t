# A step leads somewhere.
tensor x f64[4] dense = (0):1
expr y(i) = x(i(0:3:0))
> error E0103
error[E0103]: the step of a window leads on, or back
 --> statement:1:16
  |
1 | y(i) = x(i(0:3:0))
  |                ^
  |
  = help: leave the step out to read every coordinate
