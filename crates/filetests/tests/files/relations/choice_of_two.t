# A comparison that chooses between two lists is a value: neither walk ends with it.
tensor A f64[4,4] csr = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
tensor B f64[4,4] csr = (0,1):10 (1,0):20 (2,2):30 (3,0):40
result C csr
expr C(i,j) = where(j < i, A(i,j), B(i,j))
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  j over regions of A(i,j).2, B(i,j).2, with room for all
    in A(i,j).2 & B(i,j).2
      C(i,j) = where(j < i, A(i,j), B(i,j)), appended
    in A(i,j).2
      C(i,j) = where(j < i, A(i,j), 0.0), appended
    in B(i,j).2
      C(i,j) = where(j < i, 0.0, B(i,j)), appended
> out all-backends
C = (0,1):10 (1,0):3 (2,2):30 (3,0):5 (3,1):6
