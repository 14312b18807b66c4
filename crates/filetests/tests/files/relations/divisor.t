# As a divisor a comparison is a number, of which zeros count.
tensor A f64[2,2] csr = (0,1):3 (1,0):4
expr y(i) = sum(j, A(i,j) / (i < j))
> out all-backends
y = nan nan
