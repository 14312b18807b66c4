# Two stages into one workspace.
tensor B f64[3,6] csr = (0,1):3 (0,2):1 (0,4):1 (0,5):1 (1,0):4 (1,1):2 (1,3):4 (1,4):3 (2,0):2 (2,2):3 (2,4):4
tensor C f64[3,6] csr = (0,1):4 (0,5):2 (1,3):3 (1,4):2 (1,5):2 (2,0):3 (2,1):1 (2,2):2 (2,4):4
result A csr
schedule precompute(B(i,j)+C(i,j), j, w, list); precompute(B(i,j), j, w)
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i (forall j A(i,j) = w(j)) where[list] ({forall j w(j) = B(i,j); forall j w(j) += C(i,j)})
> out
A = 0 7 1 0 1 3 4 2 0 7 5 2 5 1 5 0 8 0
