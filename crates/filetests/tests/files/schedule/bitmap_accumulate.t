# An old value is added to.
tensor A f64[4,6] csr = (0,2):4 (0,4):1 (1,0):3 (1,1):4 (1,2):3 (2,1):1 (2,4):1 (3,4):2
tensor B f64[4,5] csr = (0,0):2 (0,1):4 (0,3):3 (1,1):3 (1,3):1 (1,4):2 (2,1):4 (2,2):1 (3,2):3 (3,4):4
tensor C f64[5,6] csr = (0,1):4 (0,2):1 (0,3):4 (0,4):1 (1,0):2 (1,2):2 (1,3):2 (2,0):2 (2,3):3 (3,0):3 (3,1):1 (3,4):3 (4,1):4 (4,3):3 (4,5):3
schedule precompute(B(i,k)*C(k,j), j, w, bitmap)
expr A(i,j) += B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = A_old(i,j) + w(j)) where[bitmap] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = 17 11 14 16 12 0 12 13 9 12 3 6 10 1 8 11 1 0 6 16 0 21 2 12
