# Truth values: the sum counts them.
tensor B bool[4,5] csr = (0,0):true (0,1):true (0,3):true (0,4):true (1,4):true (2,2):true (2,4):true (3,1):true
tensor C bool[5,6] csr = (0,0):true (0,1):true (0,3):true (0,4):true (0,5):true (1,2):true (1,4):true (1,5):true (2,1):true (3,1):true (3,3):true (3,4):true (3,5):true (4,1):true (4,3):true (4,5):true
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, bitmap)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[bitmap] (forall k forall j w(j) += i64(B(i,k) * C(k,j)))
> out
A = 1 3 1 3 3 4 0 1 0 1 0 1 0 2 0 1 0 1 0 0 1 0 1 1
