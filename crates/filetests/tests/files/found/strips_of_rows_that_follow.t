# A diagonal of a vector has one row, which strips of rows would visit once each, and parts of the rows outside of them.
tensor A f64[4] "(i) -> (i+1, i) : dense, dense" = (0):4 (1):0 (2):0 (3):-4
tensor B f64[4,3] dd = (0,0):0 (2,0):1 (0,2):3
tensor y f64[4] dense = (3):0 (1):3 (2):-2 (0):-3
expr y(i) += A(i) * B(i,j)
> graph
i over the dimension
  y(i) = y_old(i)
d over the dimension
  i follows, if inside
    j over the dimension
      y(i) += A(d,i) * B(i,j)
> out
y = 9 3 -2 0
