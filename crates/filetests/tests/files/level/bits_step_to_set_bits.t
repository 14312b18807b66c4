# Beside a list, a bitmap is walked from set bit to set bit; in the last word none may be left.
tensor a f64[2,130] "(i,j) -> (i,j) : dense, bitmap" = (0,1):1 (0,64):2 (0,128):3 (1,0):4
tensor b f64[2,130] csr = (0,1):10 (0,65):20 (1,129):30
result y f64 csr
expr y(i,j) = a(i,j) + b(i,j)
> out
y = (0,1):11 (0,64):2 (0,65):20 (0,128):3 (1,0):4 (1,129):30
