# A product of vectors is computed once, before all loops.
tensor A f64[3,4] csr = (0,1):2 (0,2):3 (1,3):4 (2,0):5 (2,1):6
tensor x f64[4] dense = 1 2 3 4
tensor z f64[4] dense = 5 6 7 8
schedule precompute(x(j) * z(j), {j}, w)
expr y(i) = A(i,j) * x(j) * z(j)
> cin
(forall i (y(i) = t) where (forall j t += A(i,j) * w(j))) where (forall j w(j) = x(j) * z(j))
> out
y = 87 128 97
