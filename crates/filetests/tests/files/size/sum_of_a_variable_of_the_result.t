# The sum binds a variable of its own, which takes as many values as that of the result: nothing else says how many.
dim l = 3
expr y(l) = sum(l, l)
> out
y = 3 3 3
