# Coordinates that repeat are counted once each.
tensor A f64[4,4] coo = (0,0):3 (0,1):2 (1,0):5 (1,1):6 (1,2):7 (1,3):8 (3,3):-1
expr o = max(i, min(j, A(i,j)))
> cin
((o = with_fill(max, t, t1, with_fill(min, f64(inf), 0, 0.0, j), i)) where (forall i ((t max= stored(t2, with_fill(min, t3, t2, 0.0, j))) where (forall j t2 += stored(A(i,j), 1))) where (forall j t3 min= stored(A(i,j))))) where (forall i (t1 += stored(t4, 1)) where (forall j t4 += stored(A(i,j), 1)))
> out
o = 5
