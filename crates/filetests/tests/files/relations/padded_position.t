# What is no coordinate is asked for nowhere.
tensor x f64[3] dense = (0):1 (1):2 (2):3
tensor p i64[4] dense = (0):2 (1):-1 (2):3 (3):0
result y dense
expr y(i) = padded(x(p(i)), -1)
> out all-backends
y = 3 -1 -1 1
