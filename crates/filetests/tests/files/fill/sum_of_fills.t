# The fill of the result follows from those of the operands.
tensor A i64[4] "sv; fill = 5" = (1):1
tensor B i64[4] "sv; fill = -2" = (1):1 (3):3
expr C(i) = A(i) + B(i)
> out
C = 3 2 3 8
