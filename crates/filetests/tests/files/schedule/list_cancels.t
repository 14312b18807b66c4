# Elements that add up to zero are elements still; stored zeros too.
tensor B f64[2,3] csr = (0,0):1 (0,1):1 (1,2):0
tensor C f64[3,3] csr = (0,0):2 (1,0):-2 (1,1):4 (2,2):0
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, list)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall i (forall j A(i,j) = w(j)) where[list] (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = 0 4 0 0 0 0
