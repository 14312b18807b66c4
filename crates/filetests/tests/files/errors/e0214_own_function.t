# A function of the statement.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor B f64[2,3] csr = (0,1):1 (1,1):4
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr def gap(u, v) = abs(u - v); e = gap(A(i,j), B(i,j))
> error E0214
error[E0214]: `i` could be summed over after `gap(A(i,j), B(i,j))` or before it
 --> statement:1:33
  |
1 | def gap(u, v) = abs(u - v); e = gap(A(i,j), B(i,j))
  |                                 ^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `e = sum(i,j, gap(A(i,j), B(i,j)))` or `e = gap(sum(i,j, A(i,j)), sum(i,j, B(i,j)))`
