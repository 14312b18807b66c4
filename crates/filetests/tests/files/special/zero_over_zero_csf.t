# 0/0 is undefined, also where whole slices of the numerator store nothing.
tensor A f64[2,2,2] csf = (0,0,0):1
tensor B f64[2,2,2] csf = (0,0,0):2 (0,1,1):4 (1,1,0):5
expr Y(i,j,k) = A(i,j,k) / B(i,j,k)
> out
Y = 0.5 NaN NaN 0 NaN NaN 0 NaN
