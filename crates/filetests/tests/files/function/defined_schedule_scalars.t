# A schedule knows no definitions: what stands before anything but plain names is called.
tensor A i64[] dense = 3
schedule precompute(both(-A, A), {}, w)
expr def both(x, y): commutative = x * y; y = both(-A, A) + 1
> cin
(y = w + 1) where (w = both(-A, A))
> out
y = -8
