tensor A bool[4] sv = (0):true (2):true
tensor B bool[4] sv = (1):true (3):true
tensor C bool[4] sv = (0):true (1):true (3):false
expr y(i) = (A(i) & B(i) | C(i)) & !A(i)
> graph
y(i).1 appended
i over regions of A(i).1, B(i).1, C(i).1, with room for all
  in A(i).1 & B(i).1 & C(i).1
    y(i) = (A(i) & B(i) | C(i)) & !A(i), appended
  in A(i).1 & B(i).1
    y(i) = A(i) & B(i) & !A(i), appended
  in A(i).1 & C(i).1
    y(i) = C(i) & !A(i), appended
  in C(i).1
    y(i) = C(i), appended
> out
y = false true false false
