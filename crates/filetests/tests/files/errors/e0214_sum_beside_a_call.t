# A sum before or after a function is another sum; the statement says which.
tensor A f64[2,2] csr = (0,1):2
tensor B f64[2,2] csr = (1,0):-2
expr C(i,k) = max(0.0, A(i,j)*B(j,k))
> error E0214
error[E0214]: `j` could be summed over after `max(0.0, A(i,j)*B(j,k))` or before it
 --> statement:1:10
  |
1 | C(i,k) = max(0.0, A(i,j)*B(j,k))
  |          ^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write the sum: `C(i,k) = sum(j, max(0.0, A(i,j)*B(j,k)))` or `C(i,k) = max(0.0, max(j, A(i,j)*B(j,k)))` or `C(i,k) = max(0.0, sum(j, A(i,j)*B(j,k)))`
