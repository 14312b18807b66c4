# The query of a band measures two computed coordinates; the loops bind both.
tensor A i64[4] s = (0):1 (3):2
result y "(i) -> (i%2, i) : dense, banded"
expr y(i) = A(i)
> out
y = 1 0 0 2
