# As the implicit sum.
tensor b bool[3] dense = true true true
tensor c f64[] dense = 1
expr y = sum(i, b(i)) + c
> cin
(y = f64(t) + c) where (forall i t += i64(b(i)))
> out
y = 4
