# In a format that is filled in any order as well.
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4 (2,2):5
tensor M f64[3,3] dense = 1 0 1 0 1 0 1 0 0
result C dok
expr C(i,j) = A(i,k) * A(k,j) where !M(i,j)
> out
C = (2,2):33
