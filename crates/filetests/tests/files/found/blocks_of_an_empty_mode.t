# Blocks of rows are there although the matrix has no column.
tensor A f64[3,0] bcsr(2,2) =
tensor x f64[0] dense =
tensor z f64[3] dense = (0):1 (1):1 (2):1
expr y(i) = z(i) + A(i,j) * x(j)
> out
y = 1 1 1
