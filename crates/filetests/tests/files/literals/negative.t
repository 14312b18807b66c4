# The fill of the result follows from the literal, and so do the loops; the number itself is an input all the same.
tensor A f64[3,4] csr = (0,1):0.25 (0,3):2 (1,0):-1 (2,2):0.75
expr C(i,j) = A(i,j) > -0.5
> literals
literals_f64: -0.5
> out
C = true true true true false true true true true true true true
