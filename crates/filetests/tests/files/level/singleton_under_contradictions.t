# Most pairs of j and j+i belong to no element: their singletons are empty.
tensor A f64[1,3] "(i,j) -> (j,j+i,i) : dense, dense, singleton" = (0,0):1 (0,1):4 (0,2):8
tensor x f64[3] d = (0):1 (1):2 (2):3
expr y(i) = A(i,j) * x(j)
> out
y = 33
