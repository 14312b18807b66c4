# A transposed access of rows scatters into the result.
tensor A f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor x f64[4] dense = 1 10 100 1000
expr y(j) = A(i,j) * x(i)
> cin
forall i forall j y(j) += A(i,j) * x(i)
> out
y = 5001 300 400 2
