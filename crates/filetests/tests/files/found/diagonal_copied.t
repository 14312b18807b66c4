# A diagonal is no copy of the whole tensor.
tensor A f64[2,2] ss = (0,0):1 (1,1):2
dim i = 2
result y dense
expr y(i,j) = A(j,j)
> out
y = 1 2 1 2
