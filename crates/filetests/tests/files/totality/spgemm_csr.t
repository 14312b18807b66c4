# A sparse product of sparse matrices goes through a workspace and stores no zeros.
tensor A f64[3,2] csr = (0,1):2 (2,0):1
tensor B f64[2,3] csr = (1,0):3 (0,2):7
result C f64 csr
expr C(i,k) = A(i,j) * B(j,k)
> out
C = 6 0 0 0 0 0 0 0 7
