# A copy that cannot be assembled in place is not refused.
tensor A f64[3] "(i) -> (i+1, i) : list(nonunique), block" = (0):-1 (1):-4 (2):-2
result y dense
expr y(i) = A(i)
> out
y = -1 -4 -2
