# Storage copies compressed rows into columns; the kernel places few elements.
tensor A f64[3,4] csr = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
result B csc
expr B(i,j) = A(i,j)
> variants
rearranged  storage copies `A`: columns are counted and elements placed, if `A` has at least 512 values
kernel      the kernel (every run)
> out
B = (0,1):2 (1,0):3 (1,2):-1 (2,3):4
