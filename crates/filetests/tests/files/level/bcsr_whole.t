# Blocks that are all whole: a row of theirs is one vector, of which a lane is left out.
tensor A f64[6,9] "bcsr(3,3)" = (0,0):1 (0,8):2 (1,3):3 (2,2):4 (3,5):5 (4,4):6 (5,6):7
tensor x f64[9] dense = 1 2 3 4 5 6 7 8 9
expr y(i) = A(i,j) * x(j)
> out
y = 19 12 12 30 30 49
