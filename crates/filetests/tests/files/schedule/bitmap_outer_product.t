# The whole product in a bitmap workspace over both variables.
tensor B f64[5,4] csc = (0,2):2 (0,3):3 (1,0):1 (1,1):3 (1,3):3 (2,1):4 (2,2):3 (2,3):4 (3,2):3 (3,3):1 (4,2):4
tensor C f64[4,6] csr = (0,0):1 (0,1):4 (0,2):1 (0,3):2 (0,5):3 (1,0):1 (1,3):1 (1,4):4 (2,1):4 (2,3):3 (3,0):1 (3,5):2
result A csr
schedule precompute(B(i,k)*C(k,j), {i,j}, w, bitmap)
expr A(i,j) = B(i,k) * C(k,j)
> cin
(forall i forall j A(i,j) = w(i,j)) where[bitmap] (forall k forall i forall j w(i,j) += B(i,k) * C(k,j))
> out
A = 3 8 0 6 0 6 7 4 1 5 12 9 8 12 0 13 16 8 1 12 0 9 0 2 0 16 0 12 0 0
