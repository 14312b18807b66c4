# Nothing of A is read, but it fixes the size of i.
tensor A i64[2] "(i) -> (i^1, i) : dense, compressed" = (0):3
tensor y i64[2] "(i) -> (i^1, i) : dense, compressed" = (1):4
expr y(i) += 0 * A(i)
> out
y = 0 4
