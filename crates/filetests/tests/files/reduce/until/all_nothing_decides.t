# Every stretch of a dense vector runs.
tensor x bool[300] "dense; fill = true" = (0):true
expr y = all(i, x(i))
> out
y = true
