# Nothing is stored.
tensor A f64[3,4] csr =
tensor x f64[4] dense = 1 2 3 4
expr y(i) = A(i,j) * x(j)
> out
y = 0 0 0
