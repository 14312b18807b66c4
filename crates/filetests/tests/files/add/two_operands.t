# A union: whatever either operand stores.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor B f64[4,4] csr = (0,0):10 (1,1):20 (2,2):-4 (3,3):40
expr C(i,j) = A(i,j) + B(i,j)
> cin
forall i forall j C(i,j) = A(i,j) + B(i,j)
> lattice j
produce A(i,j).2 & B(i,j).2
produce A(i,j).2
produce B(i,j).2
> out
C = (0,0):11 (0,3):2 (1,1):20 (2,1):3 (3,0):5 (3,3):40
