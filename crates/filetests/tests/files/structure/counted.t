# How many elements each row stores.
tensor A f64[3,3] csr = (0,0):0 (0,2):5 (1,1):0
expr n(i) = sum(j, i64(structure(A(i,j))))
> out
n = 2 1 0
