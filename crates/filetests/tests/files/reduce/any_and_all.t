# Quantifiers over rows.
tensor A bool[3,3] csr = (0,0):true (0,1):true (0,2):true (1,2):true
expr y(i) = any(j, A(i,j)) & !all(j, A(i,j))
> out
y = false true false
