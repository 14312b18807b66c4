# Slots without elements below the diagonal are no entries of an upper triangle.
tensor A i64[3,3] ragged = (0,1):1 (1,2):2
result B i64 upper
expr B(i,j) = A(i,j)
> out
B = (0,1):1 (1,2):2
