# Sums and products of truth values are those of 0 and 1, in i64; `any` and `all` stay truth values.
tensor A f64[2,3] csr = (0,1):2 (0,2):-1 (1,0):-3
tensor B bool[2,3] csr = (0,0):true (0,1):true (1,2):true
expr n(i) = sum(j, A(i,j) != 0) + 10 * B(i,j) + 100 * prod(j, B(i,j))
> out
n = 22 11
