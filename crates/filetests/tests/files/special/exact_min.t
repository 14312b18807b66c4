tensor A f64[4] "s; fill = -inf" = (0):1 (1):nan
tensor x f64[4] dense = (0):nan (1):-inf (2):nan (3):2
arithmetic exact
expr y(i) = min(A(i), x(i))
> out
y = NaN NaN NaN -inf
