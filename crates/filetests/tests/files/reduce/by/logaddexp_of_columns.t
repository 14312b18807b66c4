# The fill value counts as often as it is left out, in one exponential.
tensor A f32[5,4] csr = (0,0):1 (0,2):-2 (2,0):3 (4,3):inf (3,2):0.5
expr y(j) = logaddexp(i, A(i,j))
> cin
(((forall j y(j) = min(max(with_fill(max, t(j), t1(j), f32(0), i), f32(-3.4028235e38)), f32(3.4028235e38)) + log(with_fill(sum, t2(j), t1(j), exp(f32(0) - min(max(with_fill(max, t(j), t1(j), f32(0), i), f32(-3.4028235e38)), f32(3.4028235e38))), i))) where (((forall i forall j t2(j) += stored(A(i,j), exp(A(i,j) - min(max(with_fill(max, t3(j), t4(j), f32(0), i1), f32(-3.4028235e38)), f32(3.4028235e38))))) where (forall i1 forall j t4(j) += stored(A(i1,j), 1))) where (forall i1 forall j t3(j) max= stored(A(i1,j))))) where (forall i forall j t1(j) += stored(A(i,j), 1))) where (forall i forall j t(j) max= stored(A(i,j)))
> out
y = 3.2505224 1.609438 1.5652888 inf
