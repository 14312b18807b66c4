# Slots of a list that hold no element hold none in the levels below either.
tensor A f64[2,2,2] coo = (0,0,0):1 (1,0,1):2
result y "(i,j,k) -> (k,i,j) : list(nonunique), singleton(nonunique), singleton"
expr y(i,j,k) = A(i,j,k)
> out
y = 1 0 0 0 0 2 0 0
