# Coordinates given twice are added when they are packed.
tensor A i64[3,3] coo = (2,1):1 (0,0):5 (2,1):10 (2,1):100
expr B(i,j) = A(i,j) + 0
> out
B = (0,0):5 (2,1):111
