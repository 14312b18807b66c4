# A power is spelled otherwise.
tensor A f64[3,4] csr = (0,1):2
expr y(i,j) = A(i,j)^2
> error E0204
error[E0204]: `^` is not defined for f64
 --> statement:1:10
  |
1 | y(i,j) = A(i,j)^2
  |          ^^^^^^^^
  |
  = help: a power is `**`: A(i,j) ** 2
