# A declared result dtype is the dtype of the reduction.
tensor A u8[2,3] csr = (0,0):200 (0,1):100 (1,2):7
result y i64
expr y(i) = A(i,j)
> cin
forall i (y(i) = t) where (forall j t += i64(A(i,j)))
> out
y = 300 7
