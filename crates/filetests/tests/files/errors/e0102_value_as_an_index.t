# What is a value names no index.
tensor A f64[3] dense = 1 2 4
expr y(i) = A(i) + A(nan)
> error E0102
error[E0102]: `nan` is a value and names no tensor or index
 --> statement:1:17
  |
1 | y(i) = A(i) + A(nan)
  |                 ^^^
  |
  = help: a statement looks like y(i) = A(i,j) * x(j)
