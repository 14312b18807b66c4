# A repeated variable says the second mode; elements beside the diagonal are the fill value.
tensor x f64[3] dense = 1 2 4
result D[3,3] csr
expr D(i,i) = x(i)
> cin
forall i forall c D(i,c) = where(c == i, x(i), 0.0)
> graph
D(i,c).1 located, D(i,c).2 appended
i over the dimension
  c over [c == i], with room for all
    D(i,c) = x(i), appended unless it is the fill value
> counts
loads 3, stores 10, branches 12, rounds 4
> out all-backends
D = (0,0):1 (1,1):2 (2,2):4
