# A sampled product is computed where it is sampled.
tensor S f64[2,2] csr = (0,1):2 (1,1):3
tensor A f64[2,2] dense = 1 2 3 4
tensor B f64[2,2] dense = 5 6 7 8
tensor C f64[2,2] csr = (0,1):1 (1,0):5
expr Y(i,j) = S(i,j) * A(i,k) * B(j,k) + C(i,j)
> cin
forall i forall j (Y(i,j) = t + C(i,j)) where (forall k t += S(i,j) * A(i,k) * B(j,k))
> out
Y = 0 47 5 159
