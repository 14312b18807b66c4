# 0/0 is undefined, also where a whole row of the numerator stores nothing.
tensor A f64[3,2] "hicoo(2)" = (0,0):1
tensor B f64[3,2] "hicoo(2)" = (0,0):2 (1,1):4
expr Y(i,j) = A(i,j) / B(i,j)
> out
Y = 0.5 NaN NaN 0 NaN NaN
