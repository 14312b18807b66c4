# The innermost loop is asked to be taken in vectors.
tensor B f64[3,5] csr = (0,1):2 (0,2):3 (0,4):4 (2,0):5 (2,1):6
tensor x f64[5] dense = 1 2 3 4 5
schedule vectorize(j)
expr y(i) = B(i,j) * x(j)
> cin
forall i (y(i) = t) where (forall[vectorize] j t += B(i,j) * x(j))
> out
y = 33 0 17
