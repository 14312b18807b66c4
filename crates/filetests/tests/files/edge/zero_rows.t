# A result without elements.
tensor A f64[0,3] dcsr =
expr B(j,i) = 2 * A(i,j)
> out
B =
