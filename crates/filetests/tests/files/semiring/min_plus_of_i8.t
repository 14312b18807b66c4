# A product of integers over min: nothing is the end of their dtype, and sums wrap.
tensor A i8[2,3] "csr; fill = 127" = (0,1):100 (1,0):3 (1,2):5
tensor x i8[3] dense = 1 100 2
expr y(i) = min_plus(j, A(i,j), x(j))
> out
y = -56 4
