# Where something is done to the sums, a row of them is kept.
tensor m f64[30,40] dense = (0,0):1 (0,39):2 (9,13):4 (11,10):8 (29,1):16 (29,39):32
tensor b f64[3,3] dense = 1 2 3 4 5 6 7 8 9
result C f64 dense
expr C(i,j) = 2 * sum(r,t, m(i+r,j+t) * b(r,t)) - m(i(:-2),j(:-2))
> cin
forall i (forall j C(i,j) = 2.0 * t1(j) - m(i(0:-2),j(0:-2))) where (forall r forall c forall t forall j forall c1 t1(j) += where((c == i + r) & (c1 == j + t), m(c,c1) * b(r,t), 0.0))
> out all-backends
C = (0,0):1 (0,37):12 (7,11):72 (7,12):64 (7,13):56 (8,11):48 (8,12):40 (8,13):32 (9,8):144 (9,9):128 (9,10):112 (9,11):24 (9,12):16 (9,13):4 (10,8):96 (10,9):80 (10,10):64 (11,8):48 (11,9):32 (11,10):8 (27,0):256 (27,1):224 (27,37):576
