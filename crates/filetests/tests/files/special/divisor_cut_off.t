# The divisor is cut off to 0 once it is an integer: 0/0 is NaN, though D stores nothing.
tensor D f64[2] sv =
tensor T f64[2] dense = 0.5 1.5
arithmetic exact
expr y(i) = D(i) / i32(T(i))
> out
y = NaN 0
