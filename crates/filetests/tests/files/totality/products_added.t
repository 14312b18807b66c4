# Two workspaces inside one loop over rows.
tensor A i32[3,3] csr = (0,0):2 (0,2):3 (2,1):4
tensor B i32[3,4] csr = (0,1):1 (0,3):2 (1,0):5 (2,1):7
tensor D i32[3,4] csr = (0,0):9 (1,1):8 (2,0):-20
result C csr
expr C(i,k) = A(i,j) * B(j,k) + D(i,k)

> cin
forall i (forall k C(i,k) = t(k) + D(i,k)) where (forall j forall k t(k) += A(i,j) * B(j,k))
> out
C = (0,0):9 (0,1):23 (0,3):4 (1,1):8
