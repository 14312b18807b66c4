tensor A bool[4] sv = (0):true (2):true
tensor B bool[4] sv = (1):true (3):true
tensor C bool[4] sv = (0):true (1):true (3):false
expr y(i) = (A(i) & B(i) | C(i)) & !A(i)
> out
y = false true false false
