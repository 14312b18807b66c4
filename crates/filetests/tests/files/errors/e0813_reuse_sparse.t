# A result that is appended to is assigned once.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
result A csr
schedule precompute(B(i,j), {i,j}, A)
expr A(i,j) = B(i,j) + B(i,j) * x(j)
> error E0813
error[E0813]: `A` is appended to, so it is assigned in one place only
 --> schedule:1:27
  |
1 | precompute(B(i,j), {i,j}, A)
  |                           ^
  |
  = help: store it dense, or precompute into a workspace
