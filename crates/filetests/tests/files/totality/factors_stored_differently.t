# Factors are merged in one loop, so what is stored by diagonals is converted.
tensor A f64[3,3] dia = (0,0):1 (0,2):2 (2,1):3
tensor B f64[3,3] csr = (0,0):4 (1,1):2 (2,1):5
tensor x f64[3] dense = 1 2 3
result y dense
expr y(i) = A(i,j) * B(i,j) * x(j) + x(i)
> cin
forall i (y(i) = t + x(i)) where (forall j t += A(i,j) * B(i,j) * x(j))
> out
y = 5 2 33
