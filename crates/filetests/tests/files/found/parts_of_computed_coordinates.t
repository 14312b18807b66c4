# Parts of a loop over computed coordinates, which begin at 2: where the part begins was looked up beyond the positions.
# Found with every threshold at its lowest (OPENWORK_MACHINE=tiny), as from some 60,000 elements on.
tensor A i64[1,1] "(i,j) -> (j-i+2, i, j) : dense, compressed(nonunique), singleton" = (0,0):2
expr y(i,j) = A(i,j)
> out
y = 2
