# A function that does not commute reduces in ascending order.
tensor A f64[3,5] csr = (0,1):3 (0,3):0 (1,0):-1 (1,2):2 (2,4):5
expr def last(x, y): associative, identity(0) = where(y != 0, y, x); y(i) = last(j, A(i,j))
> cin
forall i (y(i) = t) where (forall j t last= A(i,j))
> graph
i over the dimension
  where t
    j over A(i,j).2
      t last= A(i,j)
  then
    y(i) = t
> out all-backends
y = 3 2 5
