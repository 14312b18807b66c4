tensor A f64[4] "s; fill = -inf" = (0):1 (2):3
tensor x f64[4] dense = (0):1 (1):2 (2):0.5 (3):4
expr y(i) = A(i) - x(i)
> lattice i
produce A(i).1
> out
y = 0 -inf 2.5 -inf
