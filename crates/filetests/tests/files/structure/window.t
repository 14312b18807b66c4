# A part of what a tensor stores.
tensor m f64[6] sv = (1):0 (2):1 (5):0
tensor x f64[3] dense = (0):1 (1):2 (2):3
expr y(i) = x(i) where structure(m(i(1:6:2)))
> out
y = 1 0 3
