# A product of matrices names its indices.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor x f64[3] dense = 1 2 3
expr y = A @ x
> error E0101
error[E0101]: unexpected character `@`
 --> statement:1:7
  |
1 | y = A @ x
  |       ^
  |
  = help: a product of matrices names its indices: C(i,k) = A(i,j) * B(j,k)
