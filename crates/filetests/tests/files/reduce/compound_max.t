# `max=` reduces the variables that are missing on the left by the same operator.
tensor A i32[3,3] csr = (0,1):2 (1,2):-3 (2,0):1
tensor y i32[3] dense = 1 -5 0
expr y(i) max= A(i,j)
> cin
forall i ((y(i) = max(y_old(i), with_fill(max, t, t1, i32(0), j))) where (forall j t max= stored(A(i,j)))) where (forall j t1 += stored(A(i,j), 1))
> out
y = 2 0 1
