# An infinity that a kernel does not expect beside what A leaves out: NaN is the fill, and no element.
tensor A f64[1] "(i) -> (i%2, i) : dense, dense" =
tensor B f64[1,1] "dense; fill = inf" =
tensor y f64[1,1] "ds; fill = nan" =
arithmetic exact
expr y(k,l) min= B(k,l) * A(k)
> out
y = NaN
