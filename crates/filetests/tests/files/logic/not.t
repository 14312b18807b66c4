# The complement of a sparse mask is true almost everywhere.
tensor A bool[5] sv = (0):true (2):true
expr C(i) = !A(i)
> out
C = false true false true true
