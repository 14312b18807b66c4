tensor A f64[3] sv = (0):1
tensor B f64[3] sv = (0):1
expr y(i) = A(i) where structure(A(i) * B(i))
> error E0204
error[E0204]: `structure` asks what one tensor stores
 --> statement:1:19
  |
1 | y(i) = A(i) where structure(A(i) * B(i))
  |                   ^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write `structure(A(i,j))`; what is computed is stored by a statement before
