# One loop walks the coordinates of A, and every one of them appends several values: there is room for all of them.
tensor A i64[3,2] uq = (0,0):1 (0,1):2 (2,0):3
dim k = 3
result y ucs
expr y(i,j,k) = A(i,j)
> out
y = 1 1 1 2 2 2 0 0 0 0 0 0 3 3 3 0 0 0
