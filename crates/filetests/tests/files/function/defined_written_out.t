# A function that is an expression stands where it is called: it visits what its operators visit.
tensor A i64[6] s = (0):3 (1):-2 (3):0 (5):4
tensor B i64[6] s = (1):5 (2):-1 (3):2 (5):0
result y i64 s
expr def twice(x) = x + x; def scaled(x, y) = twice(x) * y; y(i) = scaled(A(i), B(i))
> cin
forall i y(i) = (A(i) + A(i)) * B(i)
> graph
y(i).1 appended
i over A(i).1 and B(i).1, with room for all
  y(i) = (A(i) + A(i)) * B(i), appended
> out
y = 0 -20 0 0 0 0
