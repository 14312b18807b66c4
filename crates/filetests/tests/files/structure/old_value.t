# Replaced inside of what the result stored before.
tensor y f64[4] sv = (0):0 (2):3
tensor x f64[4] dense = (0):1 (1):2 (2):3 (3):4
expr y(i) = x(i) where structure(y(i))
> out
y = 1 0 3 0
