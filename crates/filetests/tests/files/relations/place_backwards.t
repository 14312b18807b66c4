# The last value comes first.
tensor x f64[4] sv = (0):1 (2):3
result y[5] sv
expr y(3-i) = x(i)
> cin
forall c forall c1 y(c) = where(c1 == 3 - c, where((c >= 0) & (c <= 3), x(c1), 0.0), 0.0)
> out all-backends
y = 0 3 0 1 0
