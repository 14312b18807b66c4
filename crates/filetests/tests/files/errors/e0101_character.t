# A character that starts no token.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,j) $ 2
> error E0101
error[E0101]: unexpected character `$`
 --> statement:1:15
  |
1 | y(i) = A(i,j) $ 2
  |               ^
  |
  = help: a statement looks like y(i) = A(i,j) * x(j)
