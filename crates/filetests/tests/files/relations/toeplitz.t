# A difference of variables: rows of a matrix are parts of one vector, backwards.
tensor c f64[5] dense = (0):1 (1):2 (2):3 (3):4 (4):5
tensor x f64[3] dense = (0):1 (1):10 (2):100
result y dense
expr y(i) = c(i-j+2) * x(j)
> cin
forall i (y(i) = t) where (forall j forall c1 t += where(c1 == i - j + 2, c(c1) * x(j), 0.0))
> out all-backends
y = 123 234 345
