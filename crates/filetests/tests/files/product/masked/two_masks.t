# Of two masks one gives the slots, and the reader goes where both are.
tensor M f64[3,4] csr = (0,1):2 (0,3):3 (1,0):1 (2,2):-1 (2,3):2
tensor N f64[3,4] csr = (0,1):1 (0,2):3 (1,0):1 (2,3):-1
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,2):5
tensor B f64[3,4] csr = (0,1):1 (0,2):2 (1,3):3 (2,2):4 (2,3):1
result C csr
expr C(i,k) = M(i,k) * N(i,k) * sum(j, A(i,j) * B(j,k))
> graph
C(i,k).1 located, C(i,k).2 appended
i over the dimension
  where t in slots, marked by M(i,k).2
    j over A(i,j).2
      k over B(j,k).2
        t(k) += A(i,j) * B(j,k), inserted
  then
    k over M(i,k).2 and N(i,k).2, looked up in t(k).1, with room for all
      C(i,k) = M(i,k) * N(i,k) * t(k), appended
> out
C = (0,1):2 (2,3):-10
