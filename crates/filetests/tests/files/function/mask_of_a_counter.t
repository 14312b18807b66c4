tensor A f64[2,3] dense = (0,0):1
expr y(i) = A(i,j) where j > 0
> error E0205
error[E0205]: `j` is no index of the result, so no mask has it
 --> statement:1:21
  |
1 | y(i) = A(i,j) where j > 0
  |                     ^
  |
  = help: a mask says which elements of the result are computed; what it reduces is computed before, as an operand
