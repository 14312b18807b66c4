# The first truth value that is true is true if one is.
tensor A bool[2,3] csr = (0,1):true
expr y(i) = choose(j, A(i,j))
> cin
forall i (y(i) = t) where (forall j t |= A(i,j))
> out all-backends
y = true false
