# The operand lends its coordinates; where NaN shows, annihilators decide.
tensor A f64[3,4] csr = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
tensor x f64[4] dense = 1 2 inf 4
result B csr
expr B(i,j) = A(i,j) * x(j)
> variants
positions   values only, at the positions of `A`, if `A` has at least 512 values and runs, this one included, have visited at least 262144 values of `A`, unless NaN is in the result
kernel      the kernel, unless NaN is in the result (tried first in every run)
deciding    the kernel in which annihilators decide element by element (where the result of 2 is rejected)
> out
B = (0,1):4 (1,0):3 (1,2):-inf (2,3):16
