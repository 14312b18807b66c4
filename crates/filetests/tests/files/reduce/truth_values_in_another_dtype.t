# A count in the dtype of its result.
tensor B bool[2,3] csr = (0,0):true (0,1):true (1,2):true
result n f32 dense
expr n(i) = B(i,j)
> cin
forall i (n(i) = t) where (forall j t += f32(B(i,j)))
> out
n = 2 1
