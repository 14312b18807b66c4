# Unstored coordinates are equal.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor B f64[4,4] csr = (0,0):1 (2,1):4
expr C(i,j) = A(i,j) == B(i,j)
> out
C = true true true false true true true true true false false true false true true true
