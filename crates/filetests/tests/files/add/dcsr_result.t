# Rows without an element take no space.
tensor A f64[4,4] dcsr = (1,1):1 (3,0):2
tensor B f64[4,4] dcsr = (3,0):5 (3,3):7
result C dcsr
expr C(i,j) = A(i,j) + B(i,j)
> out
C = (1,1):1 (3,0):7 (3,3):7
