# A row and its elements as one loop, cut by elements.
tensor B f64[5,4] csr = (0,1):2 (1,0):1 (1,3):4 (3,2):5 (4,0):6 (4,3):7
tensor C f64[4,3] csr = (0,0):1 (0,2):2 (1,1):3 (3,0):4
tensor X f64[4,3] dense = 1 2 3 4 5 6 7 8 9 10 11 12
tensor x f64[4] dense = 1 10 100 1000
schedule fuse(i,j,f); pos(f,fpos,B(i,j)); split(fpos,chunk,within,2); reorder(chunk,within); parallelize(chunk,CPUThread,Atomics)
expr y(i) = B(i,j) * x(j)
> cin
forall[parallelize] i (y(i) = t) where (forall j t += B(i,j) * x(j))
> out
y = 20 4001 0 500 7006
