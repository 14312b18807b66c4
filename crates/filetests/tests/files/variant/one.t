# A plan that can run in one way only.
tensor A f64[3,4] csr = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
tensor x f64[4] dense = 1 2 3 4
expr y(i) = A(i,j) * x(j)
> variants
kernel      the kernel, unless NaN is in the result (tried first in every run)
deciding    the kernel in which annihilators decide element by element (where the result of 1 is rejected)
> out
y = 4 0 16
