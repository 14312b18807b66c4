# A mask that lists coordinates again and again, more often than there are columns.
tensor M f64[2,2] "(i,j) -> (i,j) : compressed(nonunique), singleton" = (0,1):1 (0,1):2 (0,1):3 (0,1):4 (0,1):5 (1,0):1 (1,0):2
tensor A f64[2,2] csr = (0,0):1 (0,1):2 (1,1):3
tensor B f64[2,2] csr = (0,1):1 (1,0):2 (1,1):4
result C csr
expr C(i,k) = M(i,k) * sum(j, A(i,j) * B(j,k))
> graph
C(i,k).1 located, C(i,k).2 appended
i over M(i,k).1
  where t in slots, marked by M(i,k).2
    j over A(i,j).2
      k over B(j,k).2
        t(k) += A(i,j) * B(j,k), inserted
  then
    k over M(i,k).2, looked up in t(k).1, with room for all
      C(i,k) = M(i,k) * t(k), appended
> out
C = 0 135 18 0
