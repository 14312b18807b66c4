# The same of single precision, with slices of eight rows.
tensor A f32[17,3] "sell(8)" = (0,1):2 (1,2):4 (2,0):1 (2,1):1 (2,2):1 (5,0):3 (7,1):-2 (8,2):5 (10,0):7 (15,1):1 (16,2):6
tensor x f32[3] dense = 1 2 3
expr y(i) = A(i,j) * x(j)
> out
y = 4 12 6 0 0 3 0 -4 15 0 7 0 0 0 0 2 18
