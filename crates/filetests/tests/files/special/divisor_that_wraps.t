# The divisor wraps to 0 once it is an i32: 0/0 is NaN, though D stores nothing.
tensor D f64[1,1,1] suq =
tensor T i64[1,1] dense = (0,0):-9223372036854775808
arithmetic exact
expr y = D(k,i,j) / i32(T(i,j))
> out
y = NaN
