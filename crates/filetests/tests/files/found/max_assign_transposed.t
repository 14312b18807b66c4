# The old value and a transposed operand meet in a workspace.
tensor A f64[2,1] ds =
tensor y f64[1,2] sd = (0,1):-1
expr y(i,j) max= A(j,i)
> out
y = 0 0
