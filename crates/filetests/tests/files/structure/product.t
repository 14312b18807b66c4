# Of a product only what the mask stores is computed, a stored 0 as well.
tensor M f64[3,3] csr = (0,1):0 (1,0):1 (2,2):-1
tensor A f64[3,3] csr = (0,0):1 (0,2):2 (1,1):3 (2,0):4
tensor B f64[3,3] csr = (0,1):1 (0,2):2 (1,0):3 (2,1):4
result C csr
expr C(i,k) = A(i,j) * B(j,k) where structure(M(i,k))
> cin
forall i (forall k C(i,k) = where(M_stored(i,k), t(k), 0.0)) where (forall j forall k t(k) += A(i,j) * B(j,k))
> graph
C(i,k).1 located, C(i,k).2 appended
i over the dimension
  where t in slots, marked by M_stored(i,k).2
    j over A(i,j).2
      k over B(j,k).2
        t(k) += A(i,j) * B(j,k), inserted
  then
    k over M_stored(i,k).2, looked up in t(k).1, with room for all
      C(i,k) = where(M_stored(i,k), t(k), 0.0), appended unless it settles at the fill value
> out
C = (0,1):9 (1,0):9 (2,2):8
