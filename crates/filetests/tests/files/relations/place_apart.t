# A sum of one variable on the left says what the variable is.
tensor x f64[3] dense = 1 2 4
result y[7] dense
expr y(2*i+1) = x(i)
> cin
forall c forall c1 y(c) = where(c1 == (c - 1) // 2, where((c >= 1) & (c <= 5) & ((c - 1) % 2 == 0), x(c1), 0.0), 0.0)
> graph
c over [c <= 5], kept to [c >= 1]
  c1 over [c1 == (c - 1) // 2]
    y(c) = where((c - 1) % 2 == 0, x(c1), 0.0)
> out all-backends
y = 0 1 0 2 0 4 0
