# A window on the left: the rest of the result stays.
tensor x f64[3] dense = 1 2 4
tensor y f64[8] dense = 10 11 12 13 14 15 16 17
expr y(i(1:-1:2)) = x(i)
> cin
forall c forall c1 y(c) = where(c1 == (c - 1) // 2, where((c >= 1) & (c <= 5) & ((c - 1) % 2 == 0), x(c1), y_old(c)), 0.0)
> out all-backends
y = 10 1 12 2 14 4 16 17
