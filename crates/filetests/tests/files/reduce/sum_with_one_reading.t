# A variable in every argument, in a call of one argument or in a term of its own has one sum.
tensor A f64[2,3] csr = (0,1):2 (1,0):-3 (1,2):1
tensor x f64[3] dense = 1 1 1
tensor b f64[2] dense = 1 1
expr y(i) = max(A(i,j), x(j)) + abs(A(i,j)) + A(i,j) * min(x(j), 0.5) + min(b(i), b(i) + A(i,j) * x(j))
> out
y = 8 5
