# Positions that are computed from what is sent last are looked at where something was sent.
tensor A0 u16[4,3] dense = (0,0):1 (0,1):3
tensor A1 u16[3] dense = (1):2 (0):3 (2):3
tensor A2 u16[4] d = (0):1 (1):20485 (3):6
tensor p i64[3] dense = (0):2 (2):2
result y[8]
expr y((2 * i + 0)) = sum(j, A0(i,j) * A1(p(j))) + A2((3 - i))
> cin
(forall c (forall c3 y(c) = where(c3 == 3 - t(c), where(t(c) >= 0, t1 + A2(c3), u16(0)), u16(0))) where (forall c1 forall j forall c2 t1 += where((c1 == t(c)) & (c2 == p(j)), A0(c1,j) * A1(c2), u16(0)))) where (forall i forall c t(c) max= where(c == 2 * i, i, i64(-9223372036854775808)))
> out all-backends
y = 18 0 0 0 20485 0 1 0
