# From an empty slot no column follows.
tensor A f64[3,1] "(i,j) -> (2*i+j,i,j) : sliced, singleton(padded), block" = (0,0):1 (1,0):2 (2,0):4
tensor x f64[1] d = (0):3
expr y(i) = A(i,j) * x(j)
> out
y = 3 6 12
