# A sum over all variables of something without elements, of which only some stand in sums.
tensor A f64[8,4,0,0] uccc =
expr y = padded(A(i + 3,j + 2,k,j))
> out all-backends
y = 0
