# In exact arithmetic a factor is a number, beside which an infinity counts; a mask leaves it out.
arithmetic exact
tensor x f64[3] dense = (0):inf (1):2 (2):inf
expr y(i) = x(i) * (i < 2)
> out all-backends
y = inf 2 nan
