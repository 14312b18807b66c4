# Everything from the last coordinate on, in both modes, and beside a part that runs forwards.
tensor A f64[3,4] csr = (0,0):1 (0,3):2 (1,1):3 (2,2):4
tensor d f64[5] dense = 1 10 100 1000 10000
expr C(i,j) = A(i(::-1),j(-1::-1)) * d(j(1:))
> cin
forall i forall c forall j forall c1 C(i,j) = where((c == 2 + i64(-1) * i) & (c1 == 3 + i64(-1) * j), A(c,c1) * d(j(1:)), 0.0)
> out all-backends
C = (0,1):400 (1,2):3000 (2,0):20 (2,3):10000
