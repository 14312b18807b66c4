# 1 where a product has a partner, which ends at the first one.
tensor A i64[3,4] csr = (0,0):3 (0,2):1 (1,1):2 (2,3):5
tensor B i64[4,3] csr = (0,0):2 (1,2):2 (2,0):4 (2,1):7 (3,2):0
expr C(i,k) = any_pair(j, A(i,j), B(j,k))
> cin
forall i (forall k C(i,k) = where(t(k), 1, 0)) where (forall j forall k t(k) |= (A(i,j) != 0) & (B(j,k) != 0))
> out
C = (0,0):1 (0,1):1 (1,2):1
