# What is computed in lanes beside a row of a block is no part of its sum: 0 / 0 there made every row NaN.
tensor A f64[6,6] "bcsr(3,3)" = (0,0):2 (0,2):4 (1,1):3 (3,4):6 (5,5):8
tensor x f64[6] dense = 1 2 4 1 2 4
expr y(i) = A(i,j) / x(j)
> out
y = 3 1.5 0 3 0 2
