# Comparisons that are numbers have the dtype of what they compare.
tensor A f32[2,3] csr = (0,1):1 (1,0):3 (1,2):5
tensor x f32[3] dense = 1 2 3
expr y(i) = plus_isgt(j, A(i,j), x(j))
> cin
forall i (y(i) = t) where (forall j t += where((A(i,j) != f32(0)) & (x(j) != f32(0)), where(A(i,j) > x(j), f32(1), f32(0)), f32(0)))
> out
y = 0 2
