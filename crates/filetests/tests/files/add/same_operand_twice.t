# One tensor read twice.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
expr B(i,j) = A(i,j) + A(i,j)
> cin
forall i forall j B(i,j) = A(i,j) + A(i,j)
> out
B = (0,0):2 (0,3):4 (2,1):6 (2,2):8 (3,0):10
