# What B does not store is NaN, which divides 0 into NaN.
tensor D f64[2] sv =
tensor B f64[2] "sv; fill = nan" = (0):2
arithmetic exact
expr y(i) = D(i) / B(i)
> out
y = 0 NaN
