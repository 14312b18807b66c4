# What is assigned backwards; the rest stays.
tensor x f64[3] dense = 1 2 4
tensor y i64[7] dense = 9 9 9 9 9 9 9
result y i64
expr y(i(5:0:-2)) = i64(x(i))
> cin
forall c forall c1 y(c) = where(c1 == (c - 5) // i64(-2), where((c >= 1) & (c <= 5) & ((c - 5) % i64(-2) == 0), i64(x(c1)), y_old(c)), 0)
> out all-backends
y = 9 4 9 2 9 1 9
