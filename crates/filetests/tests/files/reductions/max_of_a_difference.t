# Where one of several operands stores something there is a value to fold.
tensor A f64[2,4] csr = (0,0):-1 (0,1):2 (1,2):-4
tensor B f64[2,4] csr = (0,1):5 (1,0):3 (1,1):1 (1,2):-4 (1,3):1
expr m(i) = min(j, abs(A(i,j) - B(i,j)))
> cin
forall i ((m(i) = with_fill(min, t, t1, 0.0, j)) where (forall j t min= stored(abs(A(i,j) - B(i,j))))) where (forall j t1 += stored(abs(A(i,j) - B(i,j)), 1))
> out
m = 0 0
