tensor a f32[4] dense = (0):0 (1):1 (2):2.5 (3):-0.5
expr y(i) = floor(a(i)) + rint(a(i)) * 10 + sqrt(a(i) + 1) * 100 + f32(isfinite(log(a(i)))) * 1000
> out
y = 100 1152.4214 1209.0829 69.71068
