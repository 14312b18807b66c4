# Of no values the logarithm of nothing is left.
tensor A f64[2,0] dense =
expr y(i) = logaddexp2(j, A(i,j)) + 0.5
> out
y = -inf -inf
