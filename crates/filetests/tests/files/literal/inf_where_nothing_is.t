# Distances: what is not stored is infinitely far, so the result is as well.
tensor A f64[2,3] csr = (0,1):2 (1,2):4
expr y(i,j) = A(i,j) + inf * (A(i,j) == 0)
> out
y = inf 2 inf inf inf 4
