# So are windows.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,0:2)
> error E0103
error[E0103]: windows and strides are not supported yet
 --> statement:1:13
  |
1 | y(i) = A(i,0:2)
  |             ^
