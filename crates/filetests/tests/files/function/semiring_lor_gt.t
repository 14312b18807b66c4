# Whether some pair compares; what is 0 is not there.
tensor A i64[3,4] csr = (0,0):3 (0,2):1 (1,1):2 (2,3):5
tensor B i64[4,3] csr = (0,0):2 (1,2):2 (2,0):4 (2,1):7 (3,2):0
expr C(i,k) = lor_gt(j, A(i,j), B(j,k))
> cin
forall i (forall k C(i,k) = t(k)) where (forall j forall k t(k) |= where((A(i,j) != 0) & (B(j,k) != 0), A(i,j) > B(j,k), false))
> out
C = (0,0):true
