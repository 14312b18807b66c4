# A computed coordinate follows from the variable of its own scope.
tensor A f64[1,2] "(i,j) -> (j-i+2, i, j) : dense, range, block" = (0,0):0 (0,1):3
tensor B f64[1,2] dense = (0,0):-1
expr y = sum(i, A(j,i)) * B(j,i)
> cin
(y = t) where ((forall j forall i t += t1(j) * B(j,i)) where (forall d forall j forall i1 t1(j) += A(d,j,i1)))
> out
y = -3
