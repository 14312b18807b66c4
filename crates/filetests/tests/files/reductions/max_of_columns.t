# Columns of a matrix stored by rows: their largest elements, and how many there are, are dense vectors.
tensor A f64[3,4] csr = (0,0):-1 (1,0):-2 (2,0):-3 (1,1):-5 (2,3):4
expr m(j) = max(i, A(i,j))
> cin
((forall j m(j) = with_fill(max, t(j), t1(j), 0.0, i)) where (forall i forall j t1(j) += stored(A(i,j), 1))) where (forall i forall j t(j) max= stored(A(i,j)))
> out
m = -1 0 0 4
