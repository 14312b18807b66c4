# Every value in another order.
tensor A f64[2,3] dense = 1 2 3 4 5 6
result B dense
expr B(j,i) = A(i,j)
> variants
rearranged  storage copies `A`: values are copied in another order, if `A` has at least 512 values
kernel      the kernel (every run)
> out
B = 1 4 2 5 3 6
