# Of compressed rows, a list.
tensor A f64[3,4] csr = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
result B coo
expr B(i,j) = A(i,j)
> variants
rearranged  storage copies `A`: row numbers are repeated, if `A` has at least 512 values
kernel      the kernel (every run)
> out
B = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
