# Nothing is less than nothing: NaN of floats.
tensor A f64[2,0] csr =
expr y(i) = fmin(j, A(i,j))
> out
y = NaN NaN
