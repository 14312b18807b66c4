# Literals that fit no number beside them keep their value.
tensor A u8[3] dense = 0 7 255
tensor B u64[3] dense = 0 18446744073709551615 9223372036854775808
tensor C i64[3] dense = -1 -9223372036854775808 5
expr y(i) = i32(A(i) > -1) + 10 * i32(A(i) < 300) + 100 * i32(B(i) == 18446744073709551615) + 1000 * i32(C(i) < 9223372036854775808) + 10000 * i32(C(i) == -9223372036854775808) + 100000 * i32(B(i) >= -5)
> out
y = 101011 111111 101011
