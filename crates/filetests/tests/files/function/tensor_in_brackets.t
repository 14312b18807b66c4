tensor exp f64[3] dense = (0):1
expr y(i) = 2 * exp[i]
> out
y = 2 0 0
