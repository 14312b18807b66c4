# A row in runs is followed where it is reached: not along coordinates that are bound before those of its row.
tensor B bool[2,2,3] "(i,j,k) -> (i,j,k) : dense, dense, runs" = (0,1,0):true (1,0,2):true
tensor y bool[2,3,2,2] "(i,j,k,l) -> (i,j,k,l) : dense, compressed, dense, dense; fill = true" = (0,0,0,0):false (1,2,1,1):false (1,0,0,1):false
expr y(j,k,i,l) |= B(i,j,k)
> out
y = false true true true true true true true true true true true true true true true true true true true true true true false
