# A part of a chain of products, in another order than it is written in.
tensor B f64[3,4] csr = (0,1):2 (0,2):3 (1,3):4 (2,0):5 (2,1):6
tensor d f64[4] dense = 1 2 3 4
tensor C f64[4,3] csr = (0,0):1 (1,1):2 (1,2):3 (3,0):4
result A f64 dense
schedule precompute(C(k,j) * B(i,k), j, w)
expr A(i,j) = B(i,k) * d(k) * C(k,j)
> cin
forall i forall k (forall j A(i,j) += w(j) * d(k)) where (forall j w(j) = C(k,j) * B(i,k))
> out
A = 0 8 12 64 0 0 5 24 36
