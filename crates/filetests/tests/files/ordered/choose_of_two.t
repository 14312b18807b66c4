# As a function, the first of its arguments that is not 0.
tensor a f64[5] sv = (0):1 (2):3 (3):0
tensor b f64[5] sv = (1):5 (2):6 (3):7
tensor c f64[5] dense = 1 2 3 4 nan
expr y(i) = choose(a(i), b(i), c(i))
> lattice i
produce a(i).1 & b(i).1 & dimension
produce a(i).1 & dimension
produce b(i).1 & dimension
produce dimension
> out all-backends
y = 1 5 3 7 NaN
