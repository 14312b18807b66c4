# A reduction counts the fill as often as it occurs.
tensor A i64[2,3] "csr; fill = 5" = (0,1):1
expr y(i) = A(i,j)
> out
y = 11 15
