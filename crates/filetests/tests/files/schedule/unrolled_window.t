# The part of a list that a window has is counted, so its loop can be unrolled.
tensor B f64[3,5] csr = (0,1):2 (0,2):3 (0,4):4 (2,0):5 (2,1):6
tensor x f64[3] dense = 1 2 3
schedule unroll(j,2)
expr y(i) = B(i,j(1:4)) * x(j)
> out
y = 8 0 6
