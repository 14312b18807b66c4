# A size that is known, and another name for the variable.
tensor B f64[2,3] csr = (0,1):2 (1,2):5
tensor x f64[3] dense = 1 2 3
schedule bound(i,ib,2,MaxExact); assemble(y,Insert)
expr y(i) = B(i,j) * x(j)
> cin
forall ib (y(ib) = t) where (forall j t += B(ib,j) * x(j))
> out
y = 4 15
