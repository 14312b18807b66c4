# True where exactly one is; coordinates that both store are left out.
tensor A bool[5] sv = (0):true (2):true (4):true
tensor B bool[5] sv = (2):true (3):true
expr C(i) = A(i) ^ B(i)
> lattice i
omit A(i).1 & B(i).1
produce A(i).1
produce B(i).1
> out
C = true false false true true
