# Rows in chunks, positions in pieces, columns in vectors: what is named, and what becomes of it.
tensor B f64[5,4] csr = (0,1):2 (1,0):1 (1,3):4 (3,2):5 (4,0):6 (4,3):7
tensor C f64[4,3] csr = (0,0):1 (0,2):2 (1,1):3 (3,0):4
tensor X f64[4,3] dense = 1 2 3 4 5 6 7 8 9 10 11 12
tensor x f64[4] dense = 1 10 100 1000
schedule split(i,i0,i1,2), pos(j,jpos,B(i,j)), split(jpos,jpos0,jpos1,8), reorder(i0,i1,jpos0,k,jpos1), parallelize(i0,CPUThread,NoRaces), parallelize(k,CPUVector,IgnoreRaces)
expr Y(i,k) = B(i,j) * X(j,k)
> cin
forall[parallelize] i0 forall i1 forall i forall j forall k Y(i,k) += B(i,j) * X(j,k)
> out
Y = 8 10 12 41 46 51 0 0 0 35 40 45 76 89 102
