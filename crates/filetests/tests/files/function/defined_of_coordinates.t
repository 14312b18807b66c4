# A sum of a function of coordinates and values is written out.
tensor A f64[2,3] csr = (0,1):3 (1,0):4
result y f64 dense
expr def most(x, y): commutative, associative = max(x, y); y(i) = sum(j, most(j, A(i,j)))
> out
y = 5 7
