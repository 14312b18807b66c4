# A workspace that is merged with an operand.
tensor B f64[3,6] csr = (0,1):1 (0,3):3 (0,4):2 (1,1):1 (1,2):1 (1,3):4 (1,4):3 (2,0):2 (2,2):2 (2,3):3 (2,4):4 (2,5):4
tensor C f64[3,6] csr = (0,2):3 (0,5):1 (1,0):1 (1,1):3 (1,2):2 (1,3):4 (1,4):3 (2,1):3 (2,2):2 (2,3):4 (2,4):2 (2,5):2
result A csr
schedule precompute(B(i,j), j, w, dense)
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i (forall j A(i,j) = w(j) + C(i,j)) where[dense] (forall j w(j) = B(i,j))
> out
A = 0 1 3 3 2 1 1 4 3 8 6 0 2 3 4 7 6 6
