# A mask is an expression of the operand: what is selected.
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4 (2,2):5
result C csr
expr C(i,j) = A(i,j) where A(i,j) > 2
> out
C = (1,1):3 (2,0):4 (2,2):5
