# Comparisons are functions too, also inside a product, and every sum is written out.
tensor A f64[2,2] csr = (0,1):2
tensor x f64[2] dense = 1 1
expr a = 2 * -(A(i,j) > x(i)) + x(i)
> error E0214
error[E0214]: `i` could be summed over after `A(i,j) > x(i)` or before it
 --> statement:1:11
  |
1 | a = 2 * -(A(i,j) > x(i)) + x(i)
  |           ^^^^^^^^^^^^^
  |
  = help: write the sum: `a = 2 * -sum(i,j, A(i,j) > x(i)) + sum(i, x(i))` or `a = 2 * -sum(i, sum(j, A(i,j)) > x(i)) + sum(i, x(i))` or `a = 2 * -(sum(i,j, A(i,j)) > sum(i, x(i))) + sum(i, x(i))`
