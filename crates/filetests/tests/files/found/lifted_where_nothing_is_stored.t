# Diagonals that are not stored leave elements unassigned.
tensor A f64[2,2,2] dense = 1 2 3 4 5 6 7 8
tensor B f64[2,2] "(i,j) -> (i*2+j, i, j) : masked, dense, offset" = (0,1):3
result y dense
expr y(i,j,k) = B(i,j) * (A(i,j,k) * 0)
> out
y =
