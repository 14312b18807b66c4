# A scalar that comes first is multiplied, not reduced over.
tensor s f64[] dense = 2
tensor A f64[2,2] dense = (0,0):1 (1,0):5
expr y(i) = min_plus(j, s, A(i,j))
> out
y = 2 2
