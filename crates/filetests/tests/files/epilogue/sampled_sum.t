# A sum that is read at sampled columns only stays in a scalar.
tensor S f64[2,2] csr = (0,1):2 (1,1):3
tensor A f64[2,2] dense = 1 2 3 4
tensor B f64[2,2] dense = 5 6 7 8
expr Y(i,k) = S(i,k) * sum(j, A(i,j) * B(j,k))
> cin
forall i forall k (Y(i,k) = S(i,k) * t) where (forall j t += A(i,j) * B(j,k))
> out
Y = 0 44 0 150
