# No bound overflows.
tensor x f64[4] dense = (0):1 (1):2 (2):3 (3):4
tensor s i64[] dense = 9223372036854775807
tensor t i64[] dense = -9223372036854775808
expr y = x(i) * (i <= s) + 10 * x(i) * (i > s) + 100 * x(i) * (i >= t) + 1000 * x(i) * (i < t) + 10000 * x(i) * (i + 1 > s)
> out all-backends
y = 1010
