# No elements, and no columns.
tensor B f64[3,4] csr =
tensor C f64[4,0] csr =
result A csr
schedule precompute(B(i,k)*C(k,j), j, w, list)
expr A(i,j) = B(i,k) * C(k,j)
> out
A =
