# Bounds are drawn into the dtype.
tensor x u8[3] dense = 3 0 200
expr y(i) = clip(x(i), -1, 7) + clip(x(i), 1, 300)
> out
y = 6 1 207
