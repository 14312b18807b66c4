# The divisor is 0 in 32 bits, as a product and as what is converted: 0/0 is NaN, though D stores nothing.
tensor D f32[2] sv =
tensor T f32[2] dense = 1e-30 1
tensor U f64[2] dense = 1 1e-60
arithmetic exact
expr y(i) = D(i) / (T(i) * T(i)) + D(i) / f32(U(i))
> out
y = NaN NaN
