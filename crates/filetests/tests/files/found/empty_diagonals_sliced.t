# The largest coordinate of no element is no coordinate.
tensor A f64[2,2] ss =
result y "(i,j) -> (i-j, j, i) : ragged, dense, offset"
expr y(j,k) = A(j,k)
> out
y =
