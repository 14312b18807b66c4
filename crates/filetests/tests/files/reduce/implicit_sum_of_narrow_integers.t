# A sum of i8 wraps, whatever it is added to.
tensor a i8[3] sv = (0):100 (2):100
tensor c i64[] dense = 1
expr y = a(i) + c
> out
y = -55
