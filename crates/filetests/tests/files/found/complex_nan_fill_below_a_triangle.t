# The fill value of the result is a complex NaN, which kernels do not tell from numbers with one part that is NaN.
tensor A f64[1,2] "upper; fill = -inf" =
dim k = 1
result y csf
expr y(i,j,k) = c128(abs(A(i,j)) + A(i,j))
> out
y = NaN+0j NaN+0j
