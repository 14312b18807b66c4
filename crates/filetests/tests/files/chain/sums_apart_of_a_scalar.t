# A product of two sums.
tensor x f64[300] dense = (0):1 (1):2 (299):3
tensor u f64[400] dense = (0):1 (7):2 (399):-1
expr s = x(i) * u(k)
> cin
(s = t) where ((forall k t += t1 * u(k)) where (forall i t1 += x(i)))
> out
s = 12
