# Computed coordinates in a format are refused by name.
tensor A f64[3,4] "(i,j) -> (j-i,i,j) : dense, dense, dense" =
expr y(i) = A(i,j)
> error E0305
error[E0305]: computed coordinates in a format are not supported yet
 --> format of A:1:11
  |
1 | (i,j) -> (j-i,i,j) : dense, dense, dense
  |           ^
  |
  = help: store the modes themselves, in any order
