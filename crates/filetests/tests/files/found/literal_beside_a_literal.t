# Exact: a literal 0 decides nothing beside B, nor does what it is a factor of.
tensor B f64[1] csf = (0):1
arithmetic exact
expr T0(i) = 0 * (B(i) * 0)
> out
T0 = 0
