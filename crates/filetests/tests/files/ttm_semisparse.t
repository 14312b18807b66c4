# Tensor times matrix; the result is sparse in two modes and dense in the last.
tensor X f64[3,3,2] csf = (0,0,1):1 (0,2,0):2 (2,1,1):3 (2,1,0):4
tensor B f64[2,2] dense = 1 2 3 4
result Y ssd
expr Y(i,j,k) = X(i,j,l) * B(l,k)
> cin
forall i forall j forall l forall k Y(i,j,k) += X(i,j,l) * B(l,k)
> out
Y = (0,0,0):3 (0,0,1):4 (0,2,0):2 (0,2,1):4 (2,1,0):13 (2,1,1):20
