# The last of several variables is counted in the order of the right side, whatever the order of the left one.
tensor p i64[2,3] dense = (0,0):1 (0,1):0 (0,2):1 (1,0):0 (1,1):2 (1,2):1
tensor A i64[3,2] dense = 1 2 3 4 5 6
result y[4] dense
expr y(p(i,j)) = A(j,i)
> cin
(forall c forall c1 forall c2 y(c) = where((c1 == t(c) // 2) & (c2 == t(c) % 2), where(t(c) >= 0, A(c1,c2), 0), 0)) where (forall i forall j forall c t(c) max= where(c == p(i,j), j * 2 + i, i64(-9223372036854775808)))
> out all-backends
y = 3 6 4 0
