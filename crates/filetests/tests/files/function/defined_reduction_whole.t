# Chunks are combined by the function as well.
tensor A i64[3,4] csr = (0,0):12 (0,3):10 (2,1):6
expr def larger(x, y): commutative, associative, idempotent, identity(-9223372036854775808) { if x > y { x } else { y } }; y = larger(i, j, A(i,j))
> cin
((y = with_fill(larger, t, t1, 0, i, j)) where (forall i forall j t larger= stored(A(i,j)))) where (forall i forall j t1 += stored(A(i,j), 1))
> out
y = 12
