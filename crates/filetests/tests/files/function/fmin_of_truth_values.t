# The smaller truth value of two is one, as in NumPy.
tensor A bool[2,3] csr = (0,0):true (0,1):true (1,2):true
tensor B bool[2,3] csr = (0,0):true (1,1):true
expr C(i,j) = fmin(A(i,j), B(i,j)) | fmax(A(i,j), false)
> out
C = true true false false false true
