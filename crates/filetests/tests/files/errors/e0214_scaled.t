# A multiple of a function.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor B f64[2,3] csr = (0,1):1 (1,1):4
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr e = y(i) * log(1 + A(i,j)) - A(i,j)
> error E0214
error[E0214]: `j` could be summed over after `log(1 + A(i,j))` or before it
 --> statement:1:12
  |
1 | e = y(i) * log(1 + A(i,j)) - A(i,j)
  |            ^^^^^^^^^^^^^^^
  |
  = help: write the sum: `e = sum(i, y(i) * log(1 + sum(j, A(i,j)))) - sum(i,j, A(i,j))` or `e = sum(i, y(i) * sum(j, log(1 + A(i,j)))) - sum(i,j, A(i,j))`
