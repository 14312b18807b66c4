# 32-bit integers.
tensor B i32[4,5] csr = (0,0):4 (0,4):3 (1,0):2 (1,1):4 (1,2):1 (1,4):3 (2,0):3 (2,3):1 (2,4):4 (3,0):3 (3,1):1 (3,2):2 (3,4):4
tensor C i32[5,6] csr = (0,0):1 (0,1):1 (0,2):2 (0,3):1 (0,5):4 (1,0):3 (1,4):2 (2,0):3 (2,2):2 (2,3):4 (3,1):2 (3,2):3 (4,2):2 (4,5):2
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, bitmap)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[bitmap] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = 4 4 14 4 0 22 17 2 12 6 8 14 3 5 17 3 0 20 12 3 18 11 2 20
