# Names of NumPy's that are other names here, and a vector that is called as one of them.
tensor a f64[4] s = (0):-1 (2):0.5 (3):4
tensor degrees f64[4] dense = (0):1 (1):2 (2):3 (3):4
expr y(i) = clip(a(i), 0, 1) + maximum(a(i), degrees(i)) * square(a(i)) + logical_not(a(i))
> out
y = 1 1 1.25 65
> cin
forall i y(i) = min(max(a(i), 0.0), 1.0) + max(a(i), degrees(i)) * power(a(i), 2.0) + f64(a(i) == 0.0)
