# A result as coordinates.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor B f64[4,4] csr = (0,0):10 (1,1):20 (2,2):-4 (3,3):40
result C coo
expr C(i,j) = A(i,j) + B(i,j)
> out
C = (0,0):11 (0,3):2 (1,1):20 (2,1):3 (3,0):5 (3,3):40
