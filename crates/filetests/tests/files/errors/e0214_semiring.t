# A product over a semiring is written where its name is.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor B f64[2,3] csr = (0,1):1 (1,1):4
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr n = plus_pair(A(i,j), B(i,j))
> error E0214
error[E0214]: `i` could be summed over after `plus_pair(A(i,j), B(i,j))` or before it
 --> statement:1:5
  |
1 | n = plus_pair(A(i,j), B(i,j))
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `n = sum(i,j, plus_pair(A(i,j), B(i,j)))` or `n = plus_pair(sum(i,j, A(i,j)), sum(i,j, B(i,j)))`
