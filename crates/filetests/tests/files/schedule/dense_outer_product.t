# The whole product in a dense workspace over both variables.
tensor B f64[5,4] csc = (0,1):3 (0,2):4 (1,3):4 (2,1):3 (2,3):3 (3,0):4 (3,3):2 (4,0):3
tensor C f64[4,6] csr = (0,0):2 (1,2):1 (1,5):2 (2,0):2 (2,2):3 (2,3):1 (3,1):1 (3,2):2 (3,3):4 (3,4):2 (3,5):2
result A csr
schedule precompute(B(i,k)*C(k,j), {i,j}, w, dense)
expr A(i,j) = B(i,k) * C(k,j)
> cin
(forall i forall j A(i,j) = w(i,j)) where[dense] (forall k forall i forall j w(i,j) += B(i,k) * C(k,j))
> out
A = 8 0 15 4 0 6 0 4 8 16 8 8 0 3 9 12 6 12 8 2 4 8 4 4 6 0 0 0 0 0
