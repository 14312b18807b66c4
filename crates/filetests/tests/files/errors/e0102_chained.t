# Comparisons bind less than what joins truth values.
tensor A f64[3,4] csr = (0,1):2
expr y(i,j) = A(i,j) where A(i,j) > 2 & A(i,j) < 5
> error E0102
error[E0102]: unexpected text after the statement
 --> statement:1:43
  |
1 | y(i,j) = A(i,j) where A(i,j) > 2 & A(i,j) < 5
  |                                           ^
  |
  = help: comparisons do not chain, and `&` binds more strongly: (A(i,j) > 2) & (A(i,j) < 5)
