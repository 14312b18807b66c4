# The greater of a constant and NaN is NaN, in vectors and beside them.
tensor x f64[7] dense = -1 nan 2 inf -inf 0 nan
expr y(i) = max(0.0, x(i)) + min(x(i), 1.0)
> out
y = -1 NaN 3 inf -inf 0 NaN
