# A choice is a function.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor x f64[3] dense = 1 2 3
expr y(i,j) = (A(i,j) if A(i,j) > 0 else 0)
> error E0102
error[E0102]: expected `)`
 --> statement:1:18
  |
1 | y(i,j) = (A(i,j) if A(i,j) > 0 else 0)
  |                  ^^
  |
  = help: a choice is a function: where(A(i,j) > 0, A(i,j), 0); a mask stands behind: y(i) = x(i) where m(i)
