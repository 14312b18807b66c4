# Two operands lend together what both store.
tensor A f64[3,4] csr = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
tensor B f64[3,4] csr = (0,1):5 (1,0):1 (1,2):1 (2,3):-4
result C csr
expr C(i,j) = A(i,j) + B(i,j)
> variants
values      values only, made of those of `A`, if `A` has at least 512 values and `B` stores the same elements as `A` and runs, this one included, have visited at least 262144 values of `A`
kernel      the kernel (every run)
> out
C = (0,1):7 (1,0):4
