# A loop that ends early has counted what it has seen: there is something, and what is left out does not matter.
tensor A bool[3,3,4] csf = (0,0,0):true (0,0,1):true (0,0,2):true (0,0,3):true (0,1,0):true (1,0,0):true (1,2,3):true (2,0,0):true (2,0,1):true (2,0,2):true (2,0,3):true (2,1,0):true (2,1,1):true (2,1,2):true (2,1,3):true
expr o = sum(i, i64(any(j, all(k, A(i,j,k)))))
> cin
((o = with_fill(sum, t, t1, i64(with_fill(any, false, 0, with_fill(all, true, 0, false, k), j)), i)) where (forall i (t += stored(t2, i64(with_fill(any, t3, t2, with_fill(all, true, 0, false, k), j)))) where (forall j ((multi {t2 += stored(t4, 1); t3 |= stored(t4, with_fill(all, t5, t4, false, k))}) where (forall k t4 += stored(A(i,j,k), 1))) where (forall k t5 &= stored(A(i,j,k)))))) where (forall i (t1 += stored(t6, 1)) where (forall j (t6 += stored(t7, 1)) where (forall k t7 += stored(A(i,j,k), 1))))
> out
o = 2
