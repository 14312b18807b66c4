# Runs that are narrowed do not fill the gaps of a list.
tensor A f64[1,2] "(i,j) -> (i,j) : compressed, hashed; fill = 5" = (0,0):4 (0,1):-1
tensor B f64[1,2] "(i,j) -> (i,j) : compressed, runs" = (0,0):3 (0,1):2
expr y(i,k) = (A(i,k) + j) * where(k == 1, B(j,k), 0)
> out all-backends
y = 0 -2
