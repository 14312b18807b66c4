# A reduction by min; the first value of the workspace is inf.
tensor B f64[5,5] "csr; fill = inf" = (0,0):4 (0,1):1 (0,2):1 (0,4):1 (2,0):2 (2,2):2 (2,4):1 (4,0):2 (4,1):3 (4,2):2 (4,3):4
tensor C f64[5,6] "csr; fill = inf" = (0,0):2 (0,2):1 (0,3):4 (0,5):4 (1,0):3 (1,1):4 (2,2):3 (2,3):4 (2,5):1 (3,0):3 (3,1):1 (3,3):2 (4,1):4 (4,5):2
result A "csr; fill = inf"
schedule precompute(B(i,k)+C(k,j), j, w, dense)
expr A(i,j) = min(k, B(i,k) + C(k,j))
> cin
forall i (forall j A(i,j) = w(j)) where[dense] (forall k forall j w(j) min= B(i,k) + C(k,j))
> out
A = 4 5 4 5 inf 2 inf inf inf inf inf inf 4 5 3 6 inf 3 inf inf inf inf inf inf 4 5 3 6 inf 3
