# A schedule makes an operand dense, so that it is no longer known where it stores something.
tensor A i64[1,3] csf = (0,0):4
tensor B i64[1,1,3] "sss; pos = u32; crd = u32" = (0,0,0):2 (0,0,2):0
schedule precompute(A(j,l), {j,l}, w0, dense)
expr y(j,l) = B(j,i,l) * A(j,l)
> cin
(forall j (forall l y(j,l) = t(l)) where (forall i forall l t(l) += B(j,i,l) * w0(j,l))) where[dense] (forall j forall l w0(j,l) = A(j,l))
> out
y = 8 0 0
