# A dense operand is located where the sparse one is stored.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor B f64[4] dense = 1 2 3 4
expr C(i,j) = A(i,j) * B(j)
> lattice j
produce A(i,j).2
> out
C = (0,0):1 (0,3):8 (2,1):6 (2,2):12 (3,0):5
