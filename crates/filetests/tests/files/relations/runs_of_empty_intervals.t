# Bounds that exclude each other leave nothing of a run.
tensor A f64[2,5] rle = (0,1):1 (0,2):1 (1,4):2
tensor p i64[2] dense = (0):2 (1):4
tensor q i64[2] dense = (0):4 (1):3
tensor B f64[2,5] csr = (0,2):10 (1,4):20
expr C(i,j) = A(i,j) * ((j >= p(i)) & (j < q(i))) + B(i,j)
> out all-backends
C = (0,2):11 (1,4):20
