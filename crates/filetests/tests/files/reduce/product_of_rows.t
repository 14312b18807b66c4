# A product over a mode: one coordinate that is not stored makes it zero.
tensor A i64[3,2] csr = (0,0):2 (0,1):3 (1,0):5
expr y(i) = prod(j, A(i,j))
> out
y = 6 0 0
