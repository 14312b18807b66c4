# The inner i has another name in the plan, and nothing that reads it is left: B still says how many values it takes.
tensor B i64[2] dense = 1 2
expr y(i) = B(i) * min(i, B(i) | -1)
> out
y = -1 -2
