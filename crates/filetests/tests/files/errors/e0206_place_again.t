# A repeated variable on the left says a place.
tensor A f64[3,4] csr = (0,1):2
tensor x f64[3] dense = 1 2 3
expr Y(i,i) = x(i)
> error E0206
error[E0206]: nothing says how many coordinates mode 1 of `Y` has
 --> statement:1:5
  |
1 | Y(i,i) = x(i)
  |     ^
  |
  = help: give `Y` a shape beside the sizes of index variables
