# A part of the same vector is read again in every round.
tensor x f64[4] dense = 1 2 3 4
expr y(i) = x(i) + x(j(0:2))
> variants
kernel      the kernel (every run)
> in-place x
nothing
> out
y = 4 5 6 7
