# Slots without elements recur under every count, and must not overwrite elements of another one.
tensor A f64[1,2] "(i,j) -> (#i, i, j) : compressed(nonunique), singleton, ragged" = (0,0):1 (0,1):1
expr y(l,k) = A(k,l)
> out
y = 1 1
