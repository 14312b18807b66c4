# It is whether any of them is true.
tensor A bool[3,3] csr = (0,0):true (0,1):true (2,2):true
expr y(i) = fmax(j, A(i,j))
> out
y = true false true
