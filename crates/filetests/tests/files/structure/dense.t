# A dense tensor stores every value.
tensor m f64[3] dense = (0):1
tensor x f64[3] dense = (0):1 (1):2 (2):3
expr y(i) = x(i) where structure(m(i))
> out
y = 1 2 3
