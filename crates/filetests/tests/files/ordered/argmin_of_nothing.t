# Of no values the place is -1.
tensor A f64[2,0] dense =
expr y(i) = argmin(j, A(i,j))
> out all-backends
y = -1 -1
