# Nothing fixes the size of k.
tensor A f64[3,4] csr = (0,1):2
expr y(i,k) = A(i,j)
> error E0206
error[E0206]: nothing fixes the size of `k`
 --> statement:1:5
  |
1 | y(i,k) = A(i,j)
  |     ^
  |
  = help: give `k` a size
