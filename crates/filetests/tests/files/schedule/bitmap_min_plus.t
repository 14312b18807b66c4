# A reduction by min; the first value of the workspace is inf.
tensor B f64[5,5] "csr; fill = inf" = (0,0):4 (0,2):2 (2,0):2 (2,4):1 (4,0):3 (4,2):3
tensor C f64[5,6] "csr; fill = inf" = (0,0):4 (1,2):3 (2,2):2 (2,4):3 (3,0):1 (4,2):2 (4,3):1 (4,5):3
result A "csr; fill = inf"
schedule precompute(B(i,k)+C(k,j), j, w, bitmap)
expr A(i,j) = min(k, B(i,k) + C(k,j))
> cin
forall i (forall j A(i,j) = w(j)) where[bitmap] (forall k forall j w(j) min= B(i,k) + C(k,j))
> out
A = 8 inf 4 inf 5 inf inf inf inf inf inf inf 6 inf 3 2 inf 4 inf inf inf inf inf inf 7 inf 5 inf 6 inf
