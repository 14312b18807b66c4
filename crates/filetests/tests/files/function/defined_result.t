# Another dtype for the value.
tensor A i64[6] s = (0):3 (1):-2 (3):0 (5):4
tensor B i64[6] s = (1):5 (2):-1 (3):2 (5):0
result y f64 s
expr def mean(x, y): commutative, {x != 0} | {y != 0} -> f64 = (x + y) / 2; y(i) = mean(A(i), B(i))
> cin
forall i y(i) = mean(A(i), B(i))
> graph
y(i).1 appended
i over regions of A(i).1, B(i).1, with room for all
  in A(i).1 & B(i).1
    y(i) = mean(A(i), B(i)), appended
  in A(i).1
    y(i) = mean(A(i), 0), appended
  in B(i).1
    y(i) = mean(0, B(i)), appended
> out
y = 1.5 1.5 -0.5 1 0 2
