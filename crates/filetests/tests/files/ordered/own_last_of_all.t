# Of two variables, too.
tensor A f64[3,5] csc = (0,1):3 (0,3):0 (1,0):-1 (1,2):2 (0,4):5
expr def last(x, y): associative, identity(0) = where(y != 0, y, x); y = last(i, j, A(i,j))
> cin
(y = t) where (forall i forall j t last= A(i,j))
> out all-backends
y = 2
