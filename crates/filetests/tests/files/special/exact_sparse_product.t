tensor A f64[3] s = (0):1 (1):inf
tensor B f64[3] s = (0):nan (2):inf
result y s
arithmetic exact
expr y(i) = A(i) * B(i)
> out
y = NaN NaN NaN
