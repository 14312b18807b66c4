# A literal factor empties a set while its operands stay in the expression.
tensor A f64[2,3] csc = (0,0):1 (1,2):4
tensor x f64[2] sv = (1):7
result y sv
expr y(j) = A(j,i) + x(j) * 0
> out
y = 1 4
