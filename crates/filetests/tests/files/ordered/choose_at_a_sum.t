# Values of a sum of variables, which falls with one of them.
tensor A f64[3,5] csr = (0,0):1 (0,2):2 (1,3):3 (1,4):4 (2,1):5
expr y(i) = choose(j, A(i,4 - j))
> cin
forall i (y(i) = t) where (forall j forall c t choose= where(c == 4 - j, A(i,c), 0.0))
> out all-backends
y = 2 4 5
