# No mode at all.
tensor a f64[] dense = 3
tensor b i32[] dense = 4
expr c = a * b + 0.5
> cin
c = a * f64(b) + 0.5
> out
c = 12.5
