# Sparse operands with fills at the edges, the unsigned one on the left.
tensor A u64[5] "sv; fill = 18446744073709551615" = (1):9223372036854775808 (3):7
tensor B i64[5] "sv; fill = -1" = (1):-9223372036854775808 (2):3 (3):7
expr y(i) = A(i) == B(i)
> cin
forall i y(i) = (B(i) >= 0) & (u64(B(i)) == A(i))
> out
y = false false false true false
