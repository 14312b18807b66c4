# A schedule names it as the statement does.
tensor M f64[3,3] csr = (0,1):0 (1,0):1 (2,2):-1
tensor B f64[3,3] dense = (0,1):1 (0,2):2 (1,0):3 (2,2):4
schedule precompute(B(i,j) * B(i,j), j, j, w)
expr C(i,j) = B(i,j) * B(i,j) where structure(M(i,j))
> cin
forall i (forall j C(i,j) = where(M_stored(i,j), w(j), 0.0)) where (forall j w(j) = B(i,j) * B(i,j))
> out
C = (0,1):1 (1,0):9 (2,2):16
