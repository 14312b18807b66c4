# In exact arithmetic, what is not stored is multiplied as well.
tensor A f64[3,3] csr = (0,0):1 (2,1):2
tensor x f64[3] dense = (0):1 (1):2 (2):inf
arithmetic exact
expr y(i) = A(i,j) * x(j)
> out
y = NaN NaN NaN
