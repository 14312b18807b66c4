# The operand lends its coordinates: only values are computed, in vectors.
tensor A f64[3,4] csr = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
result B csr
expr B(i,j) = 2 * A(i,j)
> variants
values      values only, made of those of `A`, if `A` has at least 512 values and runs, this one included, have visited at least 262144 values of `A`
kernel      the kernel (every run)
> out
B = (0,1):4 (1,0):6 (1,2):-2 (2,3):8
