# A product has a sign.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor x f64[3] dense = 1 2 3
expr y(i) = 2 A(i,j) * x(j)
> error E0102
error[E0102]: unexpected text after the statement
 --> statement:1:10
  |
1 | y(i) = 2 A(i,j) * x(j)
  |          ^
  |
  = help: a product has a sign between its factors: 2 * A(i,j) * x(j)
