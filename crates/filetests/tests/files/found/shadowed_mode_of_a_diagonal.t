# A computed coordinate follows from the variable of its own scope.
tensor A f64[1,2] "(i,j) -> (j-i+2, i, j) : dense, range, block" = (0,0):0 (0,1):3
tensor B f64[1,2] dense = (0,0):-1
expr y = sum(i, A(j,i)) * B(j,i)
> cin
> out
y = -3
