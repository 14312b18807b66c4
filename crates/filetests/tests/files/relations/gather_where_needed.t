# Positions that are not needed may be anything.
tensor x f64[5] dense = 10 11 12 13 14
tensor p i64[4] dense = 3 -7 5 0
expr y(i) = where((p(i) >= 0) & (p(i) < 5), x(p(i)), -1)
> out all-backends
y = 13 -1 -1 10
