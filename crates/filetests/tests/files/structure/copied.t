# The structure itself, in another order of its modes.
tensor A f64[2,3] csr = (0,0):0 (0,2):5 (1,1):0
result P csr
expr P(j,i) = structure(A(i,j))
> out
P = true false false true true false
