# A row where the other operand stores nothing is looked at as well: (0,0) is no element.
tensor A bool[2,2] dcsc = (1,1):true
tensor y bool[2,2] "ds; fill = true" = (0,0):true
expr y(j,i) ^= A(i,j)
> out
y = true true true false
