# Unsigned integers are negated by wrapping.
tensor W u8[2,2] csr = (0,0):100 (0,1):100 (1,1):3
tensor X u8[2,2] dense = 1 1 1 2
tensor C u8[2,2] dense = 100 200 0 1
expr Y(i,k) = C(i,k) - W(i,j) * X(j,k)
> cin
forall i {forall k Y(i,k) = C(i,k); forall j forall k Y(i,k) += -W(i,j) * X(j,k)}
> out
Y = 156 156 253 251
