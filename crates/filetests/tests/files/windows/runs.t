# Runs cover every coordinate, those of the window as well.
tensor a f64[8] rle = (0):1 (1):1 (2):1 (3):5 (4):5 (5):2 (6):2 (7):2
expr y(i) = a(i(1:8:2)) + a(i(0:7:2))
> out all-backends
y = 2 6 7 4
