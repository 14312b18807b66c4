# A level that is declared nonunique above a dense level.
tensor A f64[2,2,2] ucd = (0,1,1):5
tensor y f64[] dense = 1
expr y = sum(j, k, i, max(A(j,k,i), y))
> out
y = 12
