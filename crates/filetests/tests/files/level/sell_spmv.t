# Slices of rows add up side by side; the last one is not whole, and empty slots lie beside an infinity and no number.
tensor A f64[11,5] "sell(4)" = (0,1):2 (0,3):1 (1,2):4 (2,0):1 (2,1):1 (2,2):1 (2,3):1 (5,4):3 (7,1):-2 (8,2):5 (10,3):7 (10,4):1
tensor x f64[5] dense = inf 2 3 4 nan
tensor b f64[11] dense = 1 1 1 1 1 1 1 1 1 1 1
expr y(i) = A(i,j) * x(j) + b(i)
> out
y = 9 13 inf 1 1 NaN 1 -3 16 1 NaN
