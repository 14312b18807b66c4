# A result of order three: the rows of a slab are not merged with the fibres of the operand.
tensor T f64[2,2,2] csf = (0,0,0):1 (0,1,1):2 (1,1,0):3
tensor G f64[2,2] dense = 5 6 7 8
tensor b f64[2] dense = 10 20
result Z f64 dense
expr Z(i,j,r) = T(i,j,k) * G(k,r) + b(i)
> cin
forall i {forall j forall r Z(i,j,r) = b(i); forall j forall k forall r Z(i,j,r) += T(i,j,k) * G(k,r)}
> out
Z = 15 16 24 26 20 20 35 38
