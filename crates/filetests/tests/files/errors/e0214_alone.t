# A function of an access alone; with brackets, which stay.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor B f64[2,3] csr = (0,1):1 (1,1):4
tensor x f64[3] dense = 1 2 3
tensor y f64[2] dense = 1 1
expr e = sqrt(A[i,j])
> error E0214
error[E0214]: `i` could be summed over after `sqrt(A[i,j])` or before it
 --> statement:1:5
  |
1 | e = sqrt(A[i,j])
  |     ^^^^^^^^^^^^
  |
  = help: write the sum: `e = sum(i,j, sqrt(A[i,j]))` or `e = sqrt(sum(i,j, A[i,j]))`
