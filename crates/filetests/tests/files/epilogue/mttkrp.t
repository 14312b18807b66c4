# MTTKRP and something dense.
tensor T f64[2,2,2] csf = (0,0,0):1 (0,1,1):2 (1,1,0):3
tensor F f64[2,2] dense = 1 2 3 4
tensor G f64[2,2] dense = 5 6 7 8
tensor E f64[2,2] dense = 10 20 30 40
expr A(i,r) = T(i,j,k) * F(j,r) * G(k,r) + E(i,r)
> cin
forall i {forall r A(i,r) = E(i,r); forall j forall k forall r A(i,r) += T(i,j,k) * F(j,r) * G(k,r)}
> out
A = 57 96 75 112
