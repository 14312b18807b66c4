# A product with a factor of zero for what is missing; beside a fill of one there is nothing to account for.
tensor A f64[2,2] csr = (0,0):2 (0,1):3 (1,0):4
expr p(i) = prod(j, A(i,j))
> cin
forall i ((p(i) = with_fill(prod, t, t1, 0.0, j)) where (forall j t *= stored(A(i,j)))) where (forall j t1 += stored(A(i,j), 1))
> out
p = 6 0
