# Sparse times sparse matrix, the result dense.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor B f64[4,4] csr = (0,1):1 (1,1):2 (3,2):7
result C dense
expr C(i,k) = A(i,j) * B(j,k)
> cin
forall i forall j forall k C(i,k) += A(i,j) * B(j,k)
> graph
i over the dimension
  j over A(i,j).2
    k over B(j,k).2
      C(i,k) += A(i,j) * B(j,k)
> out
C = (0,1):1 (0,2):14 (2,1):6 (3,1):5
