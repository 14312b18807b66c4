# A format for another number of modes.
tensor A f64[3,4,5] csc =
expr y(i) = A(i,j,k)
> error E0302
error[E0302]: `csc` is a format for 2 modes
 --> format of A:1:1
  |
1 | csc
  | ^^^ the tensor has 3 modes
