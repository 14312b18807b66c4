# A sum of exponentials, of logarithms; what is not stored is the logarithm of nothing.
tensor A f64[3,3] "csr; fill = -inf" = (0,0):0 (0,1):0 (1,2):3 
expr y(i) = logaddexp(j, A(i,j))
> out
y = 0.6931471805599453 3 -inf
