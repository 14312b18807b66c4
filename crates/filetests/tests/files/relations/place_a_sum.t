# Variables that say no place are summed over, of the values that come last.
tensor p i64[3] dense = 1 0 1
tensor A f64[3,2] csr = (0,0):1 (1,1):2 (2,0):4 (2,1):8
tensor x f64[2] dense = 1 10
result y[2] dense
expr y(p(i)) = A(i,j) * x(j)
> cin
(forall c (y(c) = where(t(c) >= 0, t1, 0.0)) where (forall c1 forall j t1 += where(c1 == t(c), A(c1,j) * x(j), 0.0))) where (forall i forall c t(c) max= where(c == p(i), i, i64(-9223372036854775808)))
> out all-backends
y = 20 84
