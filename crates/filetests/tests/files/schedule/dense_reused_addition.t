# Two stages into one workspace.
tensor B f64[3,6] csr = (0,0):2 (0,3):2 (0,4):4 (1,0):3 (1,5):2 (2,0):4 (2,4):4
tensor C f64[3,6] csr = (0,0):1 (0,1):2 (0,3):3 (0,5):1 (1,0):4 (1,1):4 (1,2):4 (1,3):4 (1,4):2 (1,5):3 (2,0):2 (2,1):4 (2,5):4
result A csr
schedule precompute(B(i,j)+C(i,j), j, w, dense); precompute(B(i,j), j, w)
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i (forall j A(i,j) = w(j)) where[dense] ({forall j w(j) = B(i,j); forall j w(j) += C(i,j)})
> out
A = 3 2 0 5 4 1 7 4 4 4 2 5 6 4 0 0 4 4
