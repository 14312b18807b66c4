# Functions of any number of arguments.
tensor A i64[6] s = (0):3 (1):-2 (3):0 (5):4
tensor B i64[6] s = (1):5 (2):-1 (3):2 (5):0
tensor C i64[6] s = (0):1 (5):1
result y i64 s
expr def pick(c, x, y): {c != 0} & ({x != 0} | {y != 0}) { if c != 0 { x + y } else { 0 } }; y(i) = pick(A(i), B(i), C(i))
> lattice i
produce A(i).1 & B(i).1 & C(i).1
produce A(i).1 & B(i).1
produce A(i).1 & C(i).1
> graph
y(i).1 appended
i over regions of A(i).1, B(i).1, C(i).1, with room for all
  in A(i).1 & B(i).1 & C(i).1
    y(i) = pick(A(i), B(i), C(i)), appended
  in A(i).1 & B(i).1
    y(i) = pick(A(i), B(i), 0), appended
  in A(i).1 & C(i).1
    y(i) = pick(A(i), 0, C(i)), appended
> out
y = 1 5 0 0 0 1
