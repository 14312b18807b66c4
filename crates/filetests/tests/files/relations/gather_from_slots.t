# An operand whose slots are counted is gathered by columns: each element is assigned once.
tensor A i64[3,4] ell = (0,1):-1 (1,1):-2 (1,3):5 (2,1):2
tensor p i64[3] dense = (0):1 (1):3 (2):1
expr y(i,j) = A(i,p(j))
> out all-backends
y = -1 0 -1 -2 5 -2 2 0 2
