# A union of three.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor B f64[4,4] dcsr = (0,0):10 (1,1):20 (2,2):-4 (3,3):40
tensor C f64[4,4] coo = (0,3):1 (1,0):1 (3,0):1
expr D(i,j) = A(i,j) + B(i,j) - C(i,j)
> lattice j
produce A(i,j).2 & B(i,j).2 & C(i,j).2
produce A(i,j).2 & B(i,j).2
produce A(i,j).2 & C(i,j).2
produce B(i,j).2 & C(i,j).2
produce A(i,j).2
produce B(i,j).2
produce C(i,j).2
> out
D = (0,0):11 (0,3):1 (1,0):-1 (1,1):20 (2,1):3 (3,0):4 (3,3):40
