# heaviside has its second argument at 0 alone; logaddexp2 of -inf is the other one.
tensor a f64[5] s = (0):-1 (2):0.5 (3):nan (4):inf
tensor b f32[5] dense = (0):1 (1):2 (2):3 (3):4 (4):-2
expr y(i) = heaviside(a(i), b(i)) + logaddexp2(a(i), f64(b(i)))
> out
y = 1.3219280948873624 4.321928094887362 4.234840581079202 NaN inf
