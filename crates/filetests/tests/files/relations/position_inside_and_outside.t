# The same position inside of a sum and beside it: each has a variable of its own.
tensor A f64[1,4] "csf; fill = 5" = (0,0):0 (0,2):-4
dim k = 1
expr y(k) = sum(j, sum(j, A(j,3 - k)) - A(j,3 - k))
> cin
(forall j forall k forall c1 y(k) += where(c1 == 3 - k, t(k) - A(j,c1), 0.0)) where (forall j1 forall k forall c t(k) += where(c == 3 - k, A(j1,c), 0.0))
> out all-backends
y = 0
