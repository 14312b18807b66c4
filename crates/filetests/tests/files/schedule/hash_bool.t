# Truth values: the sum counts them.
tensor B bool[4,5] csr = (0,0):true (0,2):true (0,3):true (1,1):true (1,3):true (1,4):true (2,0):true (2,1):true (3,1):true (3,4):true
tensor C bool[5,6] csr = (0,3):true (0,4):true (1,0):true (1,2):true (2,3):true (3,2):true
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, hash)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[hash] (forall k forall j w(j) += i64(B(i,k) * C(k,j)))
> out
A = (0,2):1 (0,3):2 (0,4):1 (1,0):1 (1,2):2 (2,0):1 (2,2):1 (2,3):1 (2,4):1 (3,0):1 (3,2):1
