# The divisor is zero where it is stored, beside nothing.
tensor A i64[3] csf = (0):0 (1):2 (2):-2
tensor B f64[3] csf =
expr y(j) = B(j) / (1 - (!A(j)))
> out
y = 0 0 NaN
