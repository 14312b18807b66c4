# Nobody writes out the 225 regions of this product of sums.
tensor A i64[6] s = (0):1 (5):2
tensor B i64[6] s = (1):3
tensor C i64[6] s = (5):4
tensor D i64[6] s = (2):5
tensor E i64[6] s = (0):6
tensor F i64[6] s = (5):7
tensor G i64[6] s = (2):8
tensor H i64[6] s = (4):9
result y s
expr y(i) = (A(i) + B(i) + C(i) + D(i)) * (E(i) + F(i) + G(i) + H(i))

> cin
((forall i y(i) = t(i) * t1(i)) where ({forall i t(i) += A(i); forall i t(i) += B(i); forall i t(i) += C(i); forall i t(i) += D(i)})) where ({forall i t1(i) += E(i); forall i t1(i) += F(i); forall i t1(i) += G(i); forall i t1(i) += H(i)})
> out
y = 6 0 40 0 0 42
