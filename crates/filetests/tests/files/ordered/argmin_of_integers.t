# Of integers nothing is NaN.
tensor A i32[3,4] dense = 4 2 2 7 -1 0 -1 5 3 3 3 3
expr y(i) = argmin(j, A(i,j))
> cin
forall i (y(i) = t - 1) where ((forall j t choose= where(A(i,j) == t1, j + 1, 0)) where (forall j1 t1 min= A(i,j1)))
> out all-backends
y = 1 0 0
