# What is not stored would leave zeros that nobody writes.
tensor y f64[4] dense = 1 2 3 4
tensor a f64[4] sv = (1):2
expr y(i) *= a(i)
> variants
kernel      the kernel (every run)
> in-place y
nothing
> out
y = 0 4 0 0
