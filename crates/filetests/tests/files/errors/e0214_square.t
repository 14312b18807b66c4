# A loss of least squares: `y(i)` lacks `j`, so the sum over `j` most likely is one of the product alone.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor B f64[2,3] csr = (0,1):1 (1,1):4
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr e = (y(i) - A(i,j)*x(j))**2
> error E0214
error[E0214]: `i` could be summed over after `(y(i) - A(i,j)*x(j))**2` or before it
 --> statement:1:6
  |
1 | e = (y(i) - A(i,j)*x(j))**2
  |      ^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `e = sum(i, (y(i) - sum(j, A(i,j)*x(j)))**2)` or `e = sum(i,j, (y(i) - A(i,j)*x(j))**2)` or `e = sum(j, sum(i, y(i) - A(i,j)*x(j))**2)` or `e = sum(i, y(i) - sum(j, A(i,j)*x(j)))**2`
