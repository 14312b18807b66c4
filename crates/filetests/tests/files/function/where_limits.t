# Where nothing is stored of the condition, the last argument is chosen: c is walked alone.
tensor c bool[6] s = (1):true (2):false (4):true
tensor a f64[6] dense = (0):1 (1):2 (2):3 (3):4 (4):5 (5):6
result y s
expr y(i) = where(c(i), a(i), 0)
> lattice i
produce c(i).1
> out
y = 0 2 0 0 5 0
