tensor A f64[3] s = (0):1 (2):2
tensor d f64[] dense =
result y s
expr y(i) = A(i) / d
> out
y = inf NaN inf
