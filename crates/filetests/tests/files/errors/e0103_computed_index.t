# Computed indices on the left are refused by name.
tensor A f64[3,4] csr = (0,1):2
expr y(i+1) = A(i,j)
> error E0103
error[E0103]: `=` does not say what becomes of several values for one place
 --> statement:1:3
  |
1 | y(i+1) = A(i,j)
  |   ^^^
  |
  = help: update what a tensor holds: y(p(i)) += x(i), or min= or max=
