# What is assigned where values say needs a shape.
tensor A f64[3,4] csr = (0,1):2
expr y(i+1) = A(i,j)
> error E0206
error[E0206]: nothing says how many coordinates mode 0 of `y` has
 --> statement:1:3
  |
1 | y(i+1) = A(i,j)
  |   ^^^
  |
  = help: give `y` a shape beside the sizes of index variables
