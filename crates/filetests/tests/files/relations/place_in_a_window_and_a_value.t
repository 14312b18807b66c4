# One mode has a window and a value says the other: what nothing is sent to stays.
tensor A f64[2,3] csr = (0,0):1 (0,2):2 (1,1):4
tensor p i64[3] dense = 1 3 1
tensor y f64[4,4] csr = (0,0):7 (1,1):8 (1,3):9 (2,1):10 (3,2):11
expr y(i(1:3),p(j)) = A(i,j)
> cin
(forall c forall c2 forall c1 forall c3 y(c,c1) = where((c2 == c - 1) & (c3 == t(c,c1)), where(t(c,c1) >= 0, A(c2,c3), y_old(c,c1)), 0.0)) where (forall c forall j forall c1 t(c,c1) max= where((c >= 1) & (c <= 2) & (c1 == p(j)), j, i64(-9223372036854775808)))
> out all-backends
y = (0,0):7 (1,1):2 (2,3):4 (3,2):11
