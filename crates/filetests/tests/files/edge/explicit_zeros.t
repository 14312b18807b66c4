# Stored zeros are values like any other.
tensor A f64[4] sv = (0):0 (1):2
tensor B f64[4] sv = (0):3 (1):0
expr C(i) = A(i) * B(i) + A(i)
> out
C = 0 2 0 0
