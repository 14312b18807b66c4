# A sum that decreases.
tensor x f64[5] dense = (0):1 (1):2 (2):3 (3):4 (4):5
result y dense
expr y(i) = x(4-i) - x(i)
> cin
forall i forall c y(i) = where(c == 4 - i, x(c) - x(i), 0.0)
> out all-backends
y = 4 2 0 -2 -4
