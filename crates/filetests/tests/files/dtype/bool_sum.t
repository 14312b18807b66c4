# A sum of truth values is their disjunction; counting takes a cast.
tensor A bool[2,3] csr = (0,0):true (0,1):true
expr y(i) = sum(j, i64(A(i,j)))
> out
y = 2 0
