# Where nothing is stored at a position, 0 is divided by what stands beside it, which may be 0 as well.
tensor A f64[3] sv = (1):2
tensor B f64[5] sv = (2):3 (4):1
tensor p i64[3] dense = (0):1 (1):2 (2):4
expr y(i) = B(p(i)) / A(i) + 1
> cin
forall i forall c y(i) = where(c == p(i), B(c) / A(i) + 1.0, f64(NaN))
> out all-backends
y = NaN 2.5 inf
