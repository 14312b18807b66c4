# The fill value of the result follows from the literal.
tensor A f64[4] s = (1):2 (3):-1
expr y(i) = A(i) + inf
> cin
forall i y(i) = A(i) + f64(inf)
> out
y = inf inf inf inf
