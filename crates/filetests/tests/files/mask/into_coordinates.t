# In a list of coordinates as well.
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4 (2,2):5
tensor M f64[3,3] csr = (0,0):1 (2,2):1
result C coo
expr C(i,j) = A(i,j) where !M(i,j)
> out
C = (0,2):2 (1,1):3 (2,0):4
