# 32-bit integers.
tensor B i32[4,5] csr = (0,0):3 (0,2):3 (0,3):1 (1,1):4 (1,2):4 (1,3):3 (1,4):3 (2,0):4 (2,2):3 (2,3):1 (3,0):4 (3,1):2 (3,2):3
tensor C i32[5,6] csr = (1,3):3 (1,5):2 (2,4):1 (3,2):4 (4,0):1 (4,4):4
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, list)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[list] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = 0 0 4 0 3 0 3 0 12 12 16 8 0 0 4 0 3 0 0 0 0 6 3 4
