# Any of some comparisons is one that holds, if one does.
tensor A f64[2,2] csr = (0,0):3 (0,1):1 (1,1):1
tensor x f64[2] dense = (0):2 (1):2
expr y(i) = any_gt(j, A(i,j), x(j))
> out
y = true false
