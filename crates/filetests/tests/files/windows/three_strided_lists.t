# A union of three lists of which two are strided.
tensor A f64[3,9] csr = (0,1):1 (1,4):2 (2,7):3 (1,0):9
tensor B f64[3,3] csr = (0,0):10 (1,1):20
expr C(i,j) = A(i,j(0:9:3)) + A(i,j(1:9:3)) + B(i,j)
> out all-backends
C = (0,0):11 (1,0):9 (1,1):22 (2,2):3
