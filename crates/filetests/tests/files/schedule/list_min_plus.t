# A reduction by min; the first value of the workspace is inf.
tensor B f64[5,5] "csr; fill = inf" = (0,0):2 (0,2):1 (0,4):1 (2,1):3 (4,0):4 (4,2):2 (4,3):1
tensor C f64[5,6] "csr; fill = inf" = (0,1):3 (0,2):4 (0,5):1 (1,1):1 (1,4):2 (2,0):3 (2,1):3 (2,3):3 (2,5):3 (4,0):4 (4,5):1
result A "csr; fill = inf"
schedule precompute(B(i,k)+C(k,j), j, w, list)
expr A(i,j) = min(k, B(i,k) + C(k,j))
> cin
forall i (forall j A(i,j) = w(j)) where[list] (forall k forall j w(j) min= B(i,k) + C(k,j))
> out
A = 4 4 6 4 inf 2 inf inf inf inf inf inf inf 4 inf inf 5 inf inf inf inf inf inf inf 5 5 8 5 inf 5
