# Along the diagonals of j-i+2, the rows of a column come in falling order.
tensor A f64[2,1] "(i,j) -> (j-i+2, i, j) : dense, range, block" = (0,0):-1 (1,0):1
result y lil
expr y(j,i) = A(i,j)
> out
y = -1 1
