# Negative coordinates in a hash table are not empty slots.
tensor A f64[4,4] "(i,j) -> (i, j-i, j) : dense, hashed, offset" = (2,0):4 (2,3):5 (3,0):2 (3,3):7
tensor x f64[4] dense = 1 2 3 4
expr y(i) = A(i,j) * x(j)
> out
y = 0 0 24 30
