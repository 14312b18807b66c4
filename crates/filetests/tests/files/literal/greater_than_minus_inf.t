# Beside integers an infinity is a float, as 0.5 is.
tensor A i32[4] s = (1):2 (2):-3
expr y(i) = A(i) > -inf
> cin
forall i y(i) = f64(A(i)) > f64(-inf)
> out
y = true true true true
