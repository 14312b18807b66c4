# Nothing is folded that infinities or NaN would show in.
tensor x f64[3] dense = (0):1 (1):inf (2):nan
arithmetic exact
expr y(i) = x(i) * 0
> out
y = 0 NaN NaN
