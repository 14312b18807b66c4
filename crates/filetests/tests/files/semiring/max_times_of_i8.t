# A product of integers in their dtype, which wraps.
tensor A i8[2,3] "csr; fill = -128" = (0,1):100 (1,0):3 (1,2):5
tensor x i8[3] dense = 1 2 3
expr y(i) = max_times(j, A(i,j), x(j))
> out
y = -56 15
