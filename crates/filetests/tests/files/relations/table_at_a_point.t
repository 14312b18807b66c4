# One coordinate is looked up in a table.
tensor A f64[4,4] "(i,j) -> (i,j) : dense, hashed" = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
expr y(i) = A(i,j) * (j == 3)
> graph
i over the dimension
  where t
    j over [j == 3], looked up in A(i,j).2
      t += A(i,j)
  then
    y(i) = t
> out all-backends
y = 0 4 0 7
