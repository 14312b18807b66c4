# A workspace in parts of rows.
tensor B f64[5,4] csr = (0,1):2 (1,0):1 (1,3):4 (3,2):5 (4,0):6 (4,3):7
tensor C f64[4,3] csr = (0,0):1 (0,2):2 (1,1):3 (3,0):4
tensor X f64[4,3] dense = 1 2 3 4 5 6 7 8 9 10 11 12
tensor x f64[4] dense = 1 10 100 1000
result A csr
schedule split(i,i0,i1,2); precompute(B(i,k)*C(k,j), j, w); assemble(A,Insert,true); parallelize(i0,CPUThread,IgnoreRaces)
expr A(i,j) = B(i,k) * C(k,j)
> cin
forall[parallelize] i0 forall i1 forall i (forall j A(i,j) = w(j)) where (forall k forall j w(j) += B(i,k) * C(k,j))
> out
A = (0,1):6 (1,0):17 (1,2):2 (4,0):34 (4,2):12
