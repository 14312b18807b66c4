# A variable that another operand gives fewer values reads a part of what is padded.
tensor d f64[6] dense = 1 2 4 8 16 32
tensor A f64[4,3] csr = (0,0):1 (0,2):2 (1,1):3 (3,0):4
dim j = 4
expr y(i,j) = d(i(2:4)) * padded(A(i,3 - j))
> cin
forall i forall j forall c y(i,j) = where(c == 3 - j, d(i(2:4)) * where((3 - j >= 0) & (3 - j < 3), A(i(0:2),c), 0.0), 0.0)
> out all-backends
y = 0 8 0 4 0 0 24 0
