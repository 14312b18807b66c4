# A sum that turns out to have no terms, where another operand stores an element.
tensor A f64[1,2,2] dds:1,2,0 = (0,0,1):1 (0,1,1):0
tensor B f64[1,2] "(i,j) -> (i,j) : dense, skyline" =
result y csf
expr y(j) = B(j,i) * A(j,i,i)
> out
y = 0
