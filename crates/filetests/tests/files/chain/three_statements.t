# Two statements before the one that counts, the second of which reads what the first made.
tensor A i64[4] dok = (1):2 (3):-1
result T0 hash
expr T0(i) = A(i) * 3
result T1 bytemap
expr T1(i) = T0(i) + A(i)
expr y = T1(i) * T0(i)
> out
y = 60
