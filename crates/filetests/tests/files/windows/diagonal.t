# The diagonal of a part that is not on the diagonal of the whole.
tensor A f64[4,4] csr = (0,2):1 (1,3):2 (2,2):9 (0,0):9
expr y(i) = A(i(0:2),i(2:4))
> out all-backends
y = 1 2
