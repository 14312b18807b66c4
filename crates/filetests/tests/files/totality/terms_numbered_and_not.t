# Rows of A are numbered, those of B and b are not: three nests of loops.
tensor A f64[3,3] ell = (0,0):1 (0,2):2 (2,1):3
tensor B f64[3,3] coo = (0,1):1 (1,1):2 (2,2):3
tensor b f64[3] sv = (1):5
tensor x f64[3] dense = 1 2 3
result y dense
expr y(i) = A(i,j) * x(j) - B(i,j) * x(j) + b(i)
> cin
{forall n forall i forall j y(i) += A(n,i,j) * x(j); forall i y(i) += b(i); forall i forall j y(i) += -B(i,j) * x(j)}
> out
y = 5 1 -3
