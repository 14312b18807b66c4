# Truth values meet by a sign.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor x f64[3] dense = 1 2 3
expr y(i,j) = A(i,j) > 0 and A(i,j) < 2
> error E0102
error[E0102]: unexpected text after the statement
 --> statement:1:21
  |
1 | y(i,j) = A(i,j) > 0 and A(i,j) < 2
  |                     ^^^
  |
  = help: truth values meet by a sign: (A(i,j) > 0) & (B(i,j) > 0)
