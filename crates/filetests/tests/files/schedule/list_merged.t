# A workspace that is merged with an operand.
tensor B f64[3,6] csr = (0,2):3 (0,4):2 (1,1):2 (1,4):4 (1,5):2 (2,1):3 (2,3):2 (2,4):4 (2,5):1
tensor C f64[3,6] csr = (0,0):4 (0,3):3 (1,1):4 (1,2):3 (1,5):1 (2,0):1 (2,2):2
result A csr
schedule precompute(B(i,j), j, w, list)
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i (forall j A(i,j) = w(j) + C(i,j)) where[list] (forall j w(j) = B(i,j))
> out
A = 4 0 3 3 2 0 0 6 3 0 4 3 1 3 2 2 4 1
