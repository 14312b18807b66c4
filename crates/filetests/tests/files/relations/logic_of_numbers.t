# What an operator of the exact arithmetic assumes is not taken to hold where a comparison is settled.
tensor A f64[2] dense = (1):nan
tensor y f64[2,1,1] "(i,j,k) -> (k, i-j, i, j) : dense, dense, dense, offset; fill = -inf" =
arithmetic exact
expr y(j,k,l) += where(j | (k > k), A(j), 0)
> out all-backends
y = -inf NaN
