# What the algebra leaves out decides no coordinate, but values: B is told apart where A stores something.
tensor A i64[6] s = (0):3 (1):-2 (3):0 (5):4
tensor B i64[6] s = (1):5 (2):-1 (3):2 (5):1
result y i64 s
expr def held(x, y): {x != 0} = where(x != 0, x + y, 0); y(i) = held(A(i), B(i))
> lattice i
produce A(i).1 & B(i).1
produce A(i).1
> graph
y(i).1 appended
i over regions of A(i).1, B(i).1, with room for all
  in A(i).1 & B(i).1
    y(i) = held(A(i), B(i)), appended
  in A(i).1
    y(i) = held(A(i), 0), appended
> out
y = 3 3 0 0 0 5
