# Cases of the array-programming paper, section 4.3: the body of a case is what is left in its region.
tensor A i64[6] s = (0):3 (1):-2 (3):0 (5):4
tensor B i64[6] s = (1):5 (2):-1 (3):2 (5):0
result y i64 s
expr def f(x, y) { x, 0 => abs(x); 0, y => -y; x, y => x - y }; y(i) = f(A(i), B(i))
> cin
forall i y(i) = where(B(i) == 0, abs(A(i)), where(A(i) == 0, -B(i), A(i) - B(i)))
> graph
y(i).1 appended
i over regions of A(i).1, B(i).1, with room for all
  in A(i).1 & B(i).1
    y(i) = where(B(i) == 0, abs(A(i)), where(A(i) == 0, -B(i), A(i) - B(i))), appended
  in A(i).1
    y(i) = abs(A(i)), appended
  in B(i).1
    y(i) = where(B(i) == 0, 0, -B(i)), appended
> out
y = 3 -7 1 -2 0 4
