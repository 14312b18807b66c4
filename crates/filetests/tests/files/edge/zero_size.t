# A mode without coordinates: sums are zero, minima infinite.
tensor A f64[2,0] csr =
expr y(i) = A(i,j) + min(j, A(i,j))
> out
y = inf inf
