# The whole product in a hash workspace over both variables.
tensor B f64[5,4] csc = (0,0):2 (0,2):1 (0,3):3 (1,2):2 (2,0):4 (2,1):3 (2,2):1 (2,3):3 (3,2):2 (3,3):2 (4,0):3 (4,1):1 (4,2):3 (4,3):4
tensor C f64[4,6] csr = (0,1):3 (0,2):2 (0,3):2 (0,4):1 (1,0):3 (1,3):1 (1,4):4 (2,2):4 (2,3):4 (2,4):1 (2,5):4 (3,0):2 (3,4):4 (3,5):3
result A csr
schedule precompute(B(i,k)*C(k,j), {i,j}, w, hash)
expr A(i,j) = B(i,k) * C(k,j)
> cin
(forall i forall j A(i,j) = w(i,j)) where[hash] (forall k forall i forall j w(i,j) += B(i,k) * C(k,j))
> out
A = 6 6 8 8 15 13 0 0 8 8 2 8 15 12 12 15 29 13 4 0 8 8 10 14 11 9 18 19 26 24
