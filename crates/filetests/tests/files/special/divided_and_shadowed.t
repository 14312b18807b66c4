# The variable of a reduction is bound around it as well; where a divisor is zero, it is the inner one.
tensor B i64[3] "coo_aos:0; fill = 1" = (0):5 (1):0 (2):-1
tensor C i64[3] bytemap =
expr y = all(i, (C(i) / B(i)) <= 0.5) * i
> cin
(y = t) where ((forall i t += i64(t1) * i) where (forall i1 t1 &= f64(C(i1)) / f64(B(i1)) <= 0.5))
> out
y = 0
