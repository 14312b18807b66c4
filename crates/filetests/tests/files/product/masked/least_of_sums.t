# Another sum, another fill value: slots begin with it.
tensor M f64[3,4] "csr; fill = inf" = (0,1):2 (0,3):3 (1,0):1 (2,2):-1
tensor A f64[3,3] "csr; fill = inf" = (0,0):1 (0,2):2 (1,1):3 (2,2):5
tensor B f64[3,4] "csr; fill = inf" = (0,1):1 (0,2):2 (1,3):3 (2,2):4
result C "csr; fill = inf"
expr C(i,k) = M(i,k) + min(j, A(i,j) + B(j,k))
> graph
C(i,k).1 located, C(i,k).2 appended
i over the dimension
  where t in slots, marked by M(i,k).2
    j over A(i,j).2
      k over B(j,k).2
        t(k) min= A(i,j) + B(j,k), inserted
  then
    k over M(i,k).2, looked up in t(k).1, with room for all
      C(i,k) = M(i,k) + t(k), appended
> out
C = inf 4 inf inf inf inf inf inf inf inf 8 inf
