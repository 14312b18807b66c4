# Index variables are values too.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
expr n = i64(A(i,j) != 0) * i64(j > i)
> out
n = 1
