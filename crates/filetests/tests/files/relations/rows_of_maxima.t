# Another reduction than a sum.
tensor m i64[30,40] dense = (0,0):1 (0,39):2 (9,13):4 (11,10):8 (29,1):16 (29,39):32
tensor b i64[3,3] dense = 0 1 2 3 4 5 6 7 8
result C i64 dense
expr C(i,j) = max(r,t, m(i+r,j+t) * b(r,t))
> cin
forall i forall r forall c forall t forall j forall c1 C(i,j) max= where((c == i + r) & (c1 == j + t), m(c,c1) * b(r,t), i64(-9223372036854775808))
> out all-backends
C = (0,37):4 (7,11):32 (7,12):28 (7,13):24 (8,11):20 (8,12):16 (8,13):12 (9,8):64 (9,9):56 (9,10):48 (9,11):8 (9,12):4 (10,8):40 (10,9):32 (10,10):24 (11,8):16 (11,9):8 (27,0):112 (27,1):96 (27,37):256
