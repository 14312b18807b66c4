# What is added to a quotient comes from elsewhere as well.
tensor A f64[4] s = (0):1 (1):2
tensor B f64[4] s = (1):1 (2):7
tensor d f64[4] dense = (0):1 (1):2 (2):0 (3):0
expr y(i) = A(i) / d(i) + B(i)
> out
y = 1 2 NaN NaN
