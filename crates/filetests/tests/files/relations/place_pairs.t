# Both modes of the result are said, and most of its elements are sent nothing.
tensor a i64[4] dense = (0):1 (1):3 (2):1 (3):0
tensor b i32[4] dense = (0):2 (1):0 (2):2 (3):1
tensor v f64[4] dense = 1 2 4 8
result H[4,3] csr
expr H(a(i),b(i)) = v(i)
> cin
(forall c forall c1 forall c2 H(c,c1) = where(c2 == t(c,c1), where(t(c,c1) >= 0, v(c2), 0.0), 0.0)) where (forall i forall c forall c1 t(c,c1) max= where((c == a(i)) & (c1 == i64(b(i))), i, i64(-9223372036854775808)))
> out all-backends
H = (0,1):8 (1,2):4 (3,0):2
