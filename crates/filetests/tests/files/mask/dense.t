# Nor what a dense mask leaves out of a sparse operand.
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4 (2,2):5
tensor M bool[3,3] dense = (0,0):true (2,2):true
result C csr
expr C(i,j) = A(i,j) where M(i,j)
> out
C = (0,0):1 (2,2):5
