tensor a f64[3] s = (0):-1 (1):2
tensor b f64[3] s = (0):-3
tensor c f64[3] s = (0):-2 (2):7
expr y(i) = max(a(i), b(i), c(i))
> out
y = -1 2 7
