# A list has room behind its segments, so the singletons below it may be empty: they join no union that tests nothing.
tensor A i64[2,2] csf = (0,1):3
tensor B i64[2,2] "(i,j) -> (j,i) : list(nonunique), singleton; fill = 1" = (0,0):2 (1,1):7
tensor C i64[2] s = (1):5
expr y(i,j) = max(A(j,i), B(i,j)) * max(1, C(i))
> out
y = 2 1 15 35
