# The kernel would only copy what is converted afterwards.
tensor A f64[3,4] csr = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
result B "bcsr(2,2)"
expr B(i,j) = A(i,j)
> variants
rearranged  storage copies `A`: elements are put in blocks, if `A` has at least 512 values
converted   `A` is converted, without a kernel of the plan (every run)
kernel      the kernel
> out
B = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
