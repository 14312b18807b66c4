# What is written twice is computed once.
tensor A f64[3,4] csr = (0,1):2 (0,3):3 (2,0):5
expr y(i) = sum(j, A(i,j)) / (1 + sum(j, A(i,j))) + max(j, A(i,j)) * max(j, A(i,j))
> cin
forall i (((y(i) = t / (1.0 + t) + with_fill(max, t1, t2, 0.0, j) * with_fill(max, t1, t2, 0.0, j)) where (forall j t += A(i,j))) where (forall j t1 max= stored(A(i,j)))) where (forall j t2 += stored(A(i,j), 1))
> out
y = 9.833333333333334 0 25.833333333333332
