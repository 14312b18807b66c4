# A mask in one part of `&`.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor B f64[2,3] csr = (0,1):1 (1,1):4
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr n(i) = (A(i,j) > 0) & (y(i) > 0)
> error E0214
error[E0214]: `j` could be summed over after `(A(i,j) > 0) & (y(i) > 0)` or before it
 --> statement:1:9
  |
1 | n(i) = (A(i,j) > 0) & (y(i) > 0)
  |         ^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `n(i) = sum(j, (A(i,j) > 0) & (y(i) > 0))` or `n(i) = sum(j, A(i,j) > 0) & (y(i) > 0)` or `n(i) = (sum(j, A(i,j)) > 0) & (y(i) > 0)`
