# What a mask leaves out is not sent, and its place does not matter.
tensor p i64[4] dense = 1 1 -5 2
tensor m bool[4] dense = true false false true
tensor x f64[4] dense = 1 2 4 8
result y[3] dense
expr y(p(i)) = x(i) where m(i)
> cin
(forall c forall c1 y(c) = where(c1 == t(c), where(t(c) >= 0, x(c1), 0.0), 0.0)) where (forall i forall c t(c) max= where(c == p(i), where(m(i), i, i64(-9223372036854775808)), i64(-9223372036854775808)))
> out all-backends
y = 0 1 8
