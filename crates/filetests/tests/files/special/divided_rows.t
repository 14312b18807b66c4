# A divisor of nothing: the whole row is 0/0.
tensor A f64[4,3] csr = (0,0):1 (1,1):2 (3,2):3
tensor d f64[4] dense = (0):2 (1):4 (2):0 (3):nan
expr Y(i,j) = A(i,j) / d(i)
> cin
forall i forall j Y(i,j) = A(i,j) / d(i)
> out
Y = 0.5 0 0 0 0.5 0 NaN NaN NaN NaN NaN NaN
