# A choice, all of whose operands have the variable.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor B f64[2,3] csr = (0,1):1 (1,1):4
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr e = where(A(i,j) > 0, A(i,j), B(i,j))
> error E0214
error[E0214]: `i` could be summed over after `where(A(i,j) > 0, A(i,j), B(i,j))` or before it
 --> statement:1:5
  |
1 | e = where(A(i,j) > 0, A(i,j), B(i,j))
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `e = sum(i,j, where(A(i,j) > 0, A(i,j), B(i,j)))` or `e = where(sum(i,j, A(i,j) > 0), sum(i,j, A(i,j)), sum(i,j, B(i,j)))` or `e = where(sum(i,j, A(i,j)) > 0, sum(i,j, A(i,j)), sum(i,j, B(i,j)))`
