# Whatever leads to a value is counted where it is folded: one loop for each level, however deep the tree is.
tensor A f64[2,3,2,3] csf = (0,0,0,0):1 (0,0,0,2):2 (0,0,1,1):-3 (0,1,0,0):4 (0,2,1,2):5 (1,0,0,0):-1 (1,0,1,0):-2 (1,1,0,1):3 (1,1,1,1):-4 (1,2,0,0):7 (1,2,0,1):8 (1,2,0,2):9
expr o = max(i, min(j, max(k, min(l, A(i,j,k,l)))))
> cin
((o = with_fill(max, t, t1, with_fill(min, f64(inf), 0, with_fill(max, f64(-inf), 0, with_fill(min, f64(inf), 0, 0.0, l), k), j), i)) where (forall i (t max= stored(t2, with_fill(min, t3, t2, with_fill(max, f64(-inf), 0, with_fill(min, f64(inf), 0, 0.0, l), k), j))) where (forall j (multi {t2 += stored(t4, 1); t3 min= stored(t4, with_fill(max, t5, t4, with_fill(min, f64(inf), 0, 0.0, l), k))}) where (forall k ((multi {t4 += stored(t6, 1); t5 max= stored(t6, with_fill(min, t7, t6, 0.0, l))}) where (forall l t6 += stored(A(i,j,k,l), 1))) where (forall l t7 min= stored(A(i,j,k,l))))))) where (forall i (t1 += stored(t8, 1)) where (forall j (t8 += stored(t9, 1)) where (forall k (t9 += stored(t10, 1)) where (forall l t10 += stored(A(i,j,k,l), 1)))))
> out
o = 0
