# The set has the coordinates where nothing is stored: the result is dense there.
tensor A i64[6] s = (0):3 (1):-2 (3):0 (5):4
result y i64 dense
expr def empty(x): !{x != 0} = where(x == 0, 7, 1); y(i) = empty(A(i))
> lattice i
omit A(i).1 & dimension
produce dimension
> graph
i over the dimension, between A(i).1
  at fill values in A(i).1
    y(i) = empty(A(i))
  in none
    y(i) = 7
> out
y = 1 1 7 7 7 1
