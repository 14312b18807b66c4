tensor A bool[4] sv = (0):true (1):true (3):true
tensor B bool[4] dense = (1):true (2):true
expr y(i) = A(i) ^ (A(i) & B(i))
> graph
y(i).1 appended
i over A(i).1, with room for all
  y(i) = A(i) ^ A(i) & B(i), appended unless it settles at the fill value
> lattice i
produce A(i).1
> out
y = true false false true
