# Only a chain of loops without anything between them may be walked entry by entry.
tensor X f64[1,1,1,2] coo = (0,0,0,0):2 (0,0,0,1):3
result Y f64 coo
expr Y(i,j,k) = X(i,j,k,l)
> out
Y = 5
