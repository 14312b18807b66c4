# Two stages into one workspace.
tensor B f64[3,6] csr = (0,1):3 (0,4):2 (1,5):2 (2,1):1 (2,4):3
tensor C f64[3,6] csr = (0,0):2 (0,1):4 (0,2):3 (0,4):1 (1,0):1 (1,1):4 (2,0):4 (2,1):2 (2,4):4 (2,5):4
result A csr
schedule precompute(B(i,j)+C(i,j), j, w, bitmap); precompute(B(i,j), j, w)
expr A(i,j) = B(i,j) + C(i,j)
> cin
forall i (forall j A(i,j) = w(j)) where[bitmap] ({forall j w(j) = B(i,j); forall j w(j) += C(i,j)})
> out
A = 2 7 3 0 3 0 1 4 0 0 0 2 4 3 0 0 7 4
