tensor A f64[2,3] dense = (0,0):1
tensor m bool[3] dense = (1):true
expr y(i) = A(i,j) where m(j)
> error E0205
error[E0205]: `j` is no index of the result, so no mask has it
 --> statement:1:23
  |
1 | y(i) = A(i,j) where m(j)
  |                       ^
  |
  = help: a mask says which elements of the result are computed; what it reduces is computed before, as an operand
