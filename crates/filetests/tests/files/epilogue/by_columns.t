# Over columns there are no rows to share: the whole result starts as the bias.
tensor W f64[3,4] csc = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor b f64[3] dense = 10 -100 30
expr Y(i,k) = W(i,j) * X(j,k) + b(i)
> cin
{forall i forall k Y(i,k) = b(i); forall j forall i forall k Y(i,k) += W(i,j) * X(j,k)}
> out
Y = 25 28 -100 -100 59 66
