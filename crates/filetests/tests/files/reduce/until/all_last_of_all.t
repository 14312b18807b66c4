# The last stretch of a dense vector, which is shorter, decides.
tensor x bool[300] "dense; fill = true" = (299):false
expr y = all(i, x(i))
> out
y = false
