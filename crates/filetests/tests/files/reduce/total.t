# Everything in one number.
tensor A f64[4,4] coo = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
expr a = A(i,j)
> cin
forall i forall j a += A(i,j)
> out
a = 15
