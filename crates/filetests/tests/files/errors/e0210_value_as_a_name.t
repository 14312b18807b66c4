# A tensor that could not be meant by its name.
tensor A f64[3] dense = 1 2 4
tensor inf f64[3] dense = 1 2 4
expr y(i) = A(i) + inf
> error E0210
error[E0210]: `inf` is a value, so no tensor or index has this name
 --> statement:1:1
  |
1 | y(i) = A(i) + inf
  | ^^^^^^^^^^^^^^^^^
  |
  = help: choose another name
