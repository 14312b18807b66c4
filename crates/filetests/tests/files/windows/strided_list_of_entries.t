# Rows of a list repeat, so none of them is passed over: the part is taken out first.
tensor A f64[5,5] coo = (0,0):1 (2,1):2 (2,3):3 (4,4):4
expr B(i,j) = 2 * A(i(::2),j)
> cin
forall i forall j B(i,j) = 2.0 * A(i,j)
> out all-backends
B = (0,0):2 (1,1):4 (1,3):6 (2,4):8
