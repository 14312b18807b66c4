# A schedule names what it precomputes by the function.
tensor A i64[6] s = (0):3 (1):-2 (3):0 (5):4
tensor B i64[6] s = (1):5 (2):-1 (3):2 (5):0
schedule precompute(far(A(i), B(i)), {i}, w)
result y i64 dense
expr def far(x, y): commutative = abs(x - y); y(i) = far(A(i), B(i)) * 2
> cin
(forall i y(i) = w(i) * 2) where (forall i w(i) = far(A(i), B(i)))
> out
y = 6 14 2 4 0 8
