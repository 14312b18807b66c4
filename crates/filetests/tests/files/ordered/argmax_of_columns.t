# Columns of a matrix that is stored by rows.
tensor A f64[4,3] csr = (0,1):2 (1,0):3 (2,1):4 (3,1):4 (3,2):-1
expr y(j) = argmax(i, A(i,j))
> graph
where t
  where t1
    i1 over the dimension
      j over A(i1,j).2
        t1(j) max= stored(A(i1,j))
  then
    where t2
      i1 over the dimension
        j over A(i1,j).2
          t2(j) += stored(A(i1,j), 1)
    then
      i over the dimension
        j over the dimension, between A(i,j).2
          in A(i,j).2
            t(j) choose= where((A(i,j) == with_fill(max, t1(j), t2(j), 0.0, i1)) | (A(i,j) != A(i,j)), i + 1, 0)
          in none
            t(j) choose= where(0.0 == with_fill(max, t1(j), t2(j), 0.0, i1), i + 1, 0)
then
  j over the dimension
    y(j) = t(j) - 1
> out all-backends
y = 1 2 0
