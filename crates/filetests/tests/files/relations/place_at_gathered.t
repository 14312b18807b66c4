# A position that is read at a position.
tensor p i64[3] dense = 1 2 0
tensor q i64[4] dense = 2 0 1 2
tensor x f64[4] dense = 1 2 4 8
result y[3] dense
expr y(p(q(i))) = x(i)
> cin
(forall c forall c2 y(c) = where(c2 == t(c), where(t(c) >= 0, x(c2), 0.0), 0.0)) where (forall i forall c1 forall c t(c) max= where(c1 == q(i), where(c == p(c1), i, i64(-9223372036854775808)), i64(-9223372036854775808)))
> out all-backends
y = 8 2 4
