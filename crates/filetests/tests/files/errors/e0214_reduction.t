# As is a reduction by another operator.
tensor A f64[2,2] csr = (0,1):2
tensor B f64[2,2] csr = (1,0):-2
expr y(i) = max(k, A(i,j) * B(j,k))
> error E0214
error[E0214]: `j` could be summed over after `max(k, A(i,j) * B(j,k))` or before it
 --> statement:1:8
  |
1 | y(i) = max(k, A(i,j) * B(j,k))
  |        ^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `y(i) = sum(j, max(k, A(i,j) * B(j,k)))` or `y(i) = max(k, max(j, A(i,j) * B(j,k)))` or `y(i) = max(k, sum(j, A(i,j) * B(j,k)))`
