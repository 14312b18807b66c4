# A comparison of a sparse matrix is sparse where its fill compares false.
tensor A f64[4,4] csr = (0,0):10 (1,1):20 (2,2):-4 (3,3):40
expr C(i,j) = A(i,j) > 0
> out
C = (0,0):true (1,1):true (3,3):true
