tensor A f64[4,4] csr = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
result C csr
expr C(i,j) = where(i == j, A(i,j), 0)
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  j over A(i,j).2, kept to [i == j], with room for all
    C(i,j) = A(i,j), appended
> out all-backends
C = (0,0):1 (3,3):7
