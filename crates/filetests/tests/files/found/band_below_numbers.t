# Elements are numbered as they come, and the band is as wide as their numbers say.
tensor A i64[2,2,2] "dsd:2,1,0; pos = i64; crd = i64" = (1,1,0):1118352870 (0,0,1):2 (1,1,1):-1
result y "(i,j,k) -> (#, i, j, k) : dense, banded, dense, dense"
expr y(i,k,j) = A(i,j,k)
> out
y = 0 0 2 0 0 1118352870 0 -1
