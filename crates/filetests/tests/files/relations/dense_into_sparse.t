# The interval is walked itself where nothing else is.
tensor x f64[6] dense = (0):1 (1):2 (2):3 (3):0 (4):5 (5):6
result y sv
expr y(j) = x(j) * (j >= 2)
> graph
y(j).1 appended
j over [j >= 2], with room for all
  y(j) = x(j), appended unless it is the fill value
> out all-backends
y = 0 0 3 0 5 6
