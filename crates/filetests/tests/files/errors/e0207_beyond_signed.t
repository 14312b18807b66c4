# On the other side too.
tensor x i64[3] dense = 3 0 200
expr y(i) = x(i) & 9223372036854775808
> error E0207
