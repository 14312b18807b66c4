# Nor does what a mask leaves out of a reduction that an accumulator takes.
tensor C i64[2,1] csr =
tensor P i64[2,1] csr =
tensor Q i64[1,1] csr = (0,0):2
tensor A i64[2,1] csr = (0,0):2 (1,0):1
result C csr
expr C(i,j) max= P(i,k) * Q(k,j) where A(i,j) > 2
> out
C = 0 0
