# Levels that cannot be searched ask at each coordinate.
tensor A f64[4,4] "(i,j) -> (i,j) : dense, bitmap" = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
tensor B f64[4,4] coo = (0,1):10 (1,0):20 (2,2):30 (3,0):40
expr y(i) = A(i,j) * (j <= i) + B(i,j) * (j < 2)
> graph
i over B(i,j).1
  j over B(i,j).2, kept to [j < 2]
    y(i) += B(i,j)
i over the dimension
  where t
    j over A(i,j).2, kept to [j <= i]
      t += A(i,j)
  then
    y(i) += t
> out all-backends
y = 11 23 0 58
