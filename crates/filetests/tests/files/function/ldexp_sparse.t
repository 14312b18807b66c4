# Nothing shifted by anything is nothing: A alone is walked.
tensor A f64[5] s = (1):3 (3):0.5
tensor n i32[5] dense = (0):1 (1):2 (2):3 (3):4 (4):5
expr y(i) = ldexp(A(i), n(i))
> lattice i
produce A(i).1
> out
y = 0 12 0 8 0
