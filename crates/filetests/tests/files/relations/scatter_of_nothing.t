# What changes nothing needs no place.
tensor y f64[4] dense =
tensor p i64[3] dense = (0):2 (1):4 (2):-7
tensor x f64[3] sv = (0):1
expr y(p(i)) += x(i)
> out all-backends
y = 0 0 1 0
