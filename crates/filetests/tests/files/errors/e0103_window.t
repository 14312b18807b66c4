# So are windows.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,0:2)
> error E0103
error[E0103]: a window stands behind an index variable
 --> statement:1:13
  |
1 | y(i) = A(i,0:2)
  |             ^
  |
  = help: write `j(0:2)` for the coordinates 0 and 1, with a variable that ranges over them
