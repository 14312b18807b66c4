# Rows beside an infinite column are undefined.
tensor A f64[3,3] csr = (0,0):1 (2,1):2
tensor B f64[3,3] csr = (0,0):1 (1,2):inf
result C csr
arithmetic exact
expr C(i,k) = A(i,j) * B(j,k)
> out
C = (0,0):1 (0,2):NaN (1,2):NaN (2,2):inf
