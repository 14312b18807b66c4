# The second stretch of a dense vector decides.
tensor x bool[300] "dense; fill = true" = (200):false
expr y = all(i, x(i))
> out
y = false
