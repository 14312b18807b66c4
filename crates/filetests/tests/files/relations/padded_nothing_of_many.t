# A variable of a mode beside one without coordinates is reduced over all the same.
tensor A f64[8,3,0] "(i,j,k) -> (i,j,k) : dense, dense, dense; fill = 2" =
dim d = 2
expr y(i) = sum(k, d, padded(A(i,k,d)))
> out all-backends
y = 12 12 12 12 12 12 12 12
