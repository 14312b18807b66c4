# Elements that are read in other rounds keep their memory.
tensor A f64[3,3] csr = (0,1):2 (1,0):5 (2,2):3
tensor x f64[3] dense = 1 2 3
expr x(i) = x(i) + A(i,j) * x(j)
> variants
kernel      the kernel, unless NaN is in the result (tried first in every run)
deciding    the kernel in which annihilators decide element by element (where the result of 1 is rejected)
> in-place x
nothing
> out
x = 5 7 12
