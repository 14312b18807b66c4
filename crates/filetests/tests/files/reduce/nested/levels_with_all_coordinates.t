# Every row is visited anyway: nothing would be gained by counting them.
tensor A f64[3,4] csr = (0,0):1 (0,1):2 (0,2):3 (0,3):4 (2,1):-1
expr o = max(i, min(j, A(i,j)))
> cin
(o = t) where (forall i ((t max= with_fill(min, t1, t2, 0.0, j)) where (forall j t1 min= stored(A(i,j)))) where (forall j t2 += stored(A(i,j), 1)))
> graph
where t
  i over the dimension
    where t2
      j over A(i,j).2
        t2 += stored(A(i,j), 1)
    then
      where t1
        j over A(i,j).2
          t1 min= stored(A(i,j))
      then
        t max= with_fill(min, t1, t2, 0.0, j)
then
  o = t
> out
o = 1
