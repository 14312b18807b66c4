# A sum that is nothing in some rows, beside something else.
tensor A f64[3,3] csr = (0,0):1 (0,1):2
tensor B f64[3,3] csr = (0,0):5 (1,2):6 (2,1):7
tensor C f64[3,3] csr = (0,0):1 (1,1):3
expr Y(i,j) = A(i,j) / sum(k, C(i,k)) + B(i,j)
> out
Y = 6 2 0 0 0 6 NaN NaN NaN
