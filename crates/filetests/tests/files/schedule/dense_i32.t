# 32-bit integers.
tensor B i32[4,5] csr = (0,1):4 (0,2):4 (1,0):3 (1,1):4 (1,3):1 (2,0):4 (2,1):1 (2,3):1 (2,4):4 (3,0):3 (3,2):2 (3,3):2
tensor C i32[5,6] csr = (0,3):3 (0,5):4 (1,2):3 (1,4):4 (1,5):3 (2,0):3 (3,1):2 (3,3):3 (3,4):3 (3,5):2 (4,2):1
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, dense)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[dense] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = 12 0 12 0 16 12 0 2 12 12 19 26 0 2 7 15 7 21 6 4 0 15 6 16
