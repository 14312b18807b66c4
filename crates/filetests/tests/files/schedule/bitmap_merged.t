# A workspace that is merged with an operand.
tensor B f64[3,6] csr = (0,2):4 (1,0):2 (1,1):3 (1,3):2 (2,2):4 (2,4):4 (2,5):2
tensor C f64[3,6] csr = (0,2):2 (1,4):4 (2,0):1 (2,2):2 (2,3):2 (2,4):3 (2,5):3
result A csr
schedule precompute(B(i,j), j, w, bitmap)
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i (forall j A(i,j) = w(j) + C(i,j)) where[bitmap] (forall j w(j) = B(i,j))
> out
A = 0 0 6 0 0 0 2 3 0 2 4 0 1 0 6 2 7 5
