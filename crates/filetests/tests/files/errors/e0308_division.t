# Division in a remapping is by positive constants.
tensor A f64[3,4] "(i,j) -> (i/j,i,j) : dense, dense, compressed" =
expr y(i) = A(i,j)
> error E0308
error[E0308]: `/` needs a positive constant on its right
 --> format of A:1:13
  |
1 | (i,j) -> (i/j,i,j) : dense, dense, compressed
  |             ^
  |
  = help: coordinates are made of modes, constants, `+ - * / % << >> & ^ |`, counters `#i` and `name = value in …`: `(i,j) -> (i/2, j/2, i%2, j%2, i, j)`
