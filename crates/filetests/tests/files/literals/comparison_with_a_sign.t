# Comparisons with numbers beyond a dtype are by value.
tensor x u8[3] dense = 3 0 200
expr y(i) = (x(i) > -1) & (x(i) < 300)
> out
y = true true true
