# Nothing over a value that is somewhere zero.
tensor A i64[3] csf = (0):0 (1):2 (2):-2
expr y(j) = (0.0 / f64(1 - (!A(j)))) != 0
> out
y = false false true
