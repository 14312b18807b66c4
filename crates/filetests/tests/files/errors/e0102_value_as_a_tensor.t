# What is a value names no tensor.
tensor A f64[3] dense = 1 2 4
expr y(i) = A(i) + inf(i)
> error E0102
error[E0102]: `inf` is a value and names no tensor or index
 --> statement:1:15
  |
1 | y(i) = A(i) + inf(i)
  |               ^^^
  |
  = help: a statement looks like y(i) = A(i,j) * x(j)
