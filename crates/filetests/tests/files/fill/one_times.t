# With fill 1 a product is a union.
tensor A f64[4] "sv; fill = 1" = (0):2 (2):3
tensor B f64[4] "sv; fill = 1" = (2):5 (3):7
expr C(i) = A(i) * B(i)
> lattice i
produce A(i).1 & B(i).1
produce A(i).1
produce B(i).1
> out
C = 2 1 15 7
