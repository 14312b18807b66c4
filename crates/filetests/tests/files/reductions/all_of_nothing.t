# No coordinate at all: what the operator begins with, not the fill.
tensor A f64[2,0] csr =
expr m(i) = max(j, A(i,j))
> out
m = -inf -inf
