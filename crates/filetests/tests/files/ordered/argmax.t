# The largest, of products.
tensor A f64[4,5] csr = (0,1):2 (0,4):-2 (1,0):-3 (1,2):-1 (2,0):-1 (2,1):-3 (2,2):-2 (2,3):-1 (2,4):-1
tensor x f64[5] dense = 1 2 3 -4 5
expr y(i) = argmax(j, A(i,j) * x(j))
> graph
i over the dimension
  where t
    where t2
      j1 over A(i,j1).2
        t2 += stored(A(i,j1) * x(j1), 1)
    then
      where t1
        j1 over A(i,j1).2
          t1 max= stored(A(i,j1) * x(j1), A(i,j1) * x(j1))
      then
        j over the dimension, between A(i,j).2, until t is not 0
          in A(i,j).2
            t choose= where((A(i,j) * x(j) == with_fill(max, t1, t2, 0.0, j1)) | (A(i,j) * x(j) != A(i,j) * x(j)), j + 1, 0)
          in none
            t choose= where(0.0 == with_fill(max, t1, t2, 0.0, j1), j + 1, 0)
  then
    y(i) = t - 1
> out all-backends
y = 1 1 3 0
