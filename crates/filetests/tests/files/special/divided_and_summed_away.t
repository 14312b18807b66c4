# The same in a sum.
tensor A f64[3] csf = (0):0 (1):2 (2):-2
tensor B f64[3,1] ss =
expr y = B(j,i) / (2 + A(j))
> out
y = NaN
