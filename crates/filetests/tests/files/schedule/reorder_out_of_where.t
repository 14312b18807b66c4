# A loop leaves the left side of a where statement whose right side does not use it.
tensor A f64[2,3] dense = 1 2 3 4 5 6
tensor c f64[4] dense = 1 2 3 4
schedule reorder(j,i)
expr B(i,j) = A(i,j) / sum(k, c(k))
> cin
(forall j forall i B(i,j) = A(i,j) / t) where (forall k t += c(k))
> out
B = 0.1 0.2 0.3 0.4 0.5 0.6
