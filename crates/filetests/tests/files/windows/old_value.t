# A result that is computed from a part of what it was.
tensor y f64[4] dense = (0):1 (1):2 (2):3 (3):4
tensor x f64[6] sv = (1):10 (2):20 (5):50
expr y(i) += x(i(1:5)) * y(j(2:4))
> out all-backends
y = 71 142 3 4
