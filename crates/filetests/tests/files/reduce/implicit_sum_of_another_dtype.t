# An implicit sum is the explicit one: of bools it is a bool, whatever it is added to.
tensor b bool[3] dense = true true true
tensor c f64[] dense = 1
expr y = b(i) + c
> cin
(y = f64(t) + c) where (forall i t += b(i))
> out
y = 2
