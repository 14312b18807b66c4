# Columns of rows: of several values at a place the one of the first row counts.
tensor A f64[4,5] csr = (0,1):0 (0,3):3 (1,0):-1 (1,2):2 (2,3):4 (3,0):7 (3,1):8
expr y(j) = choose(i, A(i,j))
> graph
i over the dimension
  j over A(i,j).2
    y(j) choose= A(i,j)
> out all-backends
y = -1 8 2 3 0
