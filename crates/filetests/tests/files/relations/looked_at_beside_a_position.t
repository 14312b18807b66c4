# Where what annihilators assume does not hold, an operand becomes dense; elements beside a position are those of the workspace still.
tensor A f64[12,1] csr =
tensor B f64[15,7] csr =
tensor C f64[10] csf =
tensor D f64[1,1] "ss; fill = 2" = (0,0):1
arithmetic exact
result y sd
expr y(k,j) = (A(j + 7,k) * B(j + 5,k + j) + A(j+7,k)) + (padded(C(k - 1)) + D(k,j))

> out all-backends
y = 1
