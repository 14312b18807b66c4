# Every place that is not stored adds 2 ** 0.
tensor A f64[2,4] csr = (0,1):0
expr y(i) = logaddexp2(j, A(i,j))
> out
y = 2 2
