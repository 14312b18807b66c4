# Elements that are not stored are sent as well: the last value for place 1 is 0.
tensor p i32[4] dense = (0):1 (1):1 (2):3 (3):3
tensor x i64[4] sv = (0):7 (3):9
result y[4] sv
expr y(p(i)) = x(i)
> cin
(forall c forall c1 y(c) = where(c1 == t(c), where(t(c) >= 0, x(c1), 0), 0)) where (forall i forall c t(c) max= where(c == i64(p(i)), i, i64(-9223372036854775808)))
> out all-backends
y = 0 0 0 9
