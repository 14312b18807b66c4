# An old value is added to.
tensor A f64[4,6] csr = (0,1):3 (0,2):2 (1,0):1 (1,2):2 (1,5):2 (2,0):4 (2,2):3 (2,5):2
tensor B f64[4,5] csr = (0,1):4 (0,4):1 (1,1):2 (2,1):3 (2,2):3 (3,0):4 (3,1):1 (3,2):4 (3,3):4
tensor C f64[5,6] csr = (0,1):4 (0,2):1 (0,3):4 (0,4):1 (1,0):2 (1,2):2 (1,3):2 (2,0):2 (2,3):3 (3,0):3 (3,1):1 (3,4):3 (4,1):4 (4,3):3 (4,5):3
schedule precompute(B(i,k)*C(k,j), j, w, list)
expr A(i,j) += B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = A_old(i,j) + w(j)) where[list] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = 8 7 10 11 0 3 5 0 6 4 0 2 16 0 9 15 0 2 22 20 6 30 16 0
