# The row is stored as i-1 and by its remainder: slots where they contradict one another are padding.
tensor A f64[3,3] "(i,j) -> (i-1, j/4, i%4, j%4, i, j) : dense, compressed, dense, dense, block, block" = (0,0):1 (0,1):2 (0,2):3 (1,1):4 (2,0):5 (2,2):6
result y dense
expr y(i,j) = A(i,j)
> out
y = 1 2 3 0 4 0 5 0 6
