# A choice among choices is one, by the outer variable first.
tensor A f64[3,4] csc = (2,0):5 (1,1):4 (1,3):3 (2,3):2
expr y = choose(i, choose(j, A(i,j)))
> cin
(y = t) where (forall i forall j t choose= A(i,j))
> out all-backends
y = 4
