# A maximum takes the coordinate of a run that its diagonal has, though all of the run hold the same.
tensor A f64[2] "dense:0; fill = 1" = (0):0
tensor B f64[2] "(i) -> (i, (i)+(1)) : compressed, runs" = (1):0
expr y = fmax(i, max(B(i), A(i)))
> out
y = 1
