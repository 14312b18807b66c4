# Rows that store nothing add nothing, and are not visited.
tensor A f64[5,4] dcsr = (1,0):3 (1,2):-1 (3,0):-1 (3,1):-2 (3,2):-3 (3,3):-4
expr o = sum(i, max(j, A(i,j)))
> graph
where t1
  i over A(i,j).1
    where t4
      j over A(i,j).2
        t4 += stored(A(i,j), 1)
    then
      t1 += stored(t4, 1)
then
  where t
    i over A(i,j).1
      where t3
        j over A(i,j).2
          t3 max= stored(A(i,j))
      then
        where t2
          j over A(i,j).2
            t2 += stored(A(i,j), 1)
        then
          t += stored(t2, with_fill(max, t3, t2, 0.0, j))
  then
    o = with_fill(sum, t, t1, with_fill(max, f64(-inf), 0, 0.0, j), i)
> out
o = 2
