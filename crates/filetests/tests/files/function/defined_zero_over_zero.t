# Outside, it is what numbers come to, though 0/0 is none.
tensor A f64[4] s = (0):2 (1):0 (3):1
tensor B f64[4] dense = 4 0 0 4
result y f64 s
expr def part(x, y): {x != 0} = x / y; y(i) = part(A(i), B(i))
> graph
y(i).1 appended
i over A(i).1, with room for all
  y(i) = part(A(i), B(i)), appended
> out
y = 0.5 0 0 0.25
