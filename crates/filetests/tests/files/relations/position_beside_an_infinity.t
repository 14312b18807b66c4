# What is added to an infinity that is not stored may be the other one; where neither is stored, the infinity is left.
tensor A f64[6] sv = (1):2 (3):-inf
tensor B f64[8] "(i) -> (i) : compressed; fill = inf" = (1):3
expr y(i) = A(i) + where(i > 1, B((i + 1)), inf)
> out all-backends
y = inf inf inf NaN inf inf
