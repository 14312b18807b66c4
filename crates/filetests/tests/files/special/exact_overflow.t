# A product of finite numbers that is infinite beside nothing.
tensor A f64[2] s = (0):1e200 (1):1
tensor B f64[2] s = (0):1e200 (1):1
tensor C f64[2] s = (1):1
arithmetic exact
expr y(i) = A(i) * B(i) * C(i)
> out
y = NaN 1
