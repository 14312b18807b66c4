# Column sums of rows scatter.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
expr y(j) = A(i,j)
> cin
forall i forall j y(j) += A(i,j)
> out
y = 6 3 4 2
