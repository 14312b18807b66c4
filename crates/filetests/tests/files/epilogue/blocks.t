# Blocks: the result starts as the bias before the loops over computed coordinates.
tensor W f64[3,4] bcsr(2,2) = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor b f64[3] dense = 10 -100 30
expr Y(i,k) = W(i,j) * X(j,k) + b(i)
> cin
{forall i forall k Y(i,k) = b(i); forall bi forall bj forall ri forall rj forall i forall j forall k Y(i,k) += W(bi,bj,ri,rj,i,j) * X(j,k)}
> out
Y = 25 28 -100 -100 59 66
