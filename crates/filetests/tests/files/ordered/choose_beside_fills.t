# Elements that are not stored come in their places.
tensor A f64[3,4] "csr; fill = 7" = (0,0):0 (0,1):2 (1,0):3 (2,0):0 (2,1):0 (2,2):0 (2,3):0
expr y(i) = choose(j, A(i,j))
> graph
i over the dimension
  where t
    j over the dimension, between A(i,j).2, until t is not 0
      in A(i,j).2
        t choose= A(i,j)
      in none
        t choose= 7.0
  then
    y(i) = t
> out all-backends
y = 2 3 0
