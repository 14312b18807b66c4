# Blocks of three rows and columns in a matrix of other sizes: the last ones are not whole.
tensor A f64[8,7] "bcsr(3,3)" = (0,0):1 (0,6):2 (1,3):3 (2,2):4 (3,5):5 (4,4):6 (6,6):7 (7,0):8 (7,6):9
tensor x f64[7] dense = 1 2 3 4 5 6 7
expr y(i) = A(i,j) * x(j)
> out
y = 15 12 12 30 30 0 49 71
