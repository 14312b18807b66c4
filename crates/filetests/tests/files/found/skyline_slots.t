# The last slot of a row is that of its last element.
tensor A i64[2,2] dense = 1 2 3 4
result B i64 sky
expr B(i,j) = A(i,j)
> out
B = 1 2 3 4
