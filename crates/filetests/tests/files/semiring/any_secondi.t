# The parents of breadth first: any vertex of the front that leads here, which is the last one.
tensor G bool[4,4] csr = (1,0):true (2,0):true (2,1):true (3,2):true
tensor f bool[4] sv = (0):true (1):true
expr p(i) = any_secondi1(j, G(i,j), f(j))
> cin
forall i (p(i) = t) where (forall j t max= where((G(i,j) != false) & (f(j) != false), j + 1, i64(-9223372036854775808)))
> out
p = -9223372036854775808 1 2 -9223372036854775808
