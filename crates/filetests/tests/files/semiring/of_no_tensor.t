tensor A bool[2,2] csr = (0,0):true
expr y(i) = land_pair(j, !A(i,j), A(i,j))
> error E0102
error[E0102]: `land_pair` asks where elements are stored, so it multiplies tensors
 --> statement:1:8
  |
1 | y(i) = land_pair(j, !A(i,j), A(i,j))
  |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: a statement looks like y(i) = A(i,j) * x(j)
