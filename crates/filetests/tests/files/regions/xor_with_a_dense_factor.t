tensor A bool[4] sv = (0):true (1):true (3):true
tensor B bool[4] dense = (1):true (2):true
expr y(i) = A(i) ^ (A(i) & B(i))
> graph
i over A(i).1
  y(i) = A(i) ^ A(i) & B(i)
> lattice i
produce A(i).1
> out
y = true false false true
