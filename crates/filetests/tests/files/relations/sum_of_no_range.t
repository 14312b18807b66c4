# Fewer coordinates than the other variable takes: no element.
tensor x f64[2] dense = (0):1 (1):2
tensor w f64[3] dense = (0):1 (1):10 (2):100
result y dense
expr y(i) = x(i+d) * w(d)
> out all-backends
y =
