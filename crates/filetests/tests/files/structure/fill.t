# A stored value that equals the fill value is stored.
tensor A f64[5] "sv; fill = 7" = (0):7 (2):1
expr y(i) = where(structure(A(i)), A(i), -1)
> cin
forall i y(i) = where(A_stored(i), A(i), f64(-1))
> out
y = 7 -1 1 -1 -1
