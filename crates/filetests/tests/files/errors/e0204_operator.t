# Bits of floats.
tensor A f64[3,4] csr = (0,1):2
expr y(i,j) = A(i,j) & A(i,j)
> error E0204
error[E0204]: `&` is not defined for f64 and f64
 --> statement:1:10
  |
1 | y(i,j) = A(i,j) & A(i,j)
  |          ^^^^^^^^^^^^^^^
  |
  = help: a number is true where it is not 0, and a comparison stands in parentheses: (A(i,j) != 0) & (x(i) > 0)
