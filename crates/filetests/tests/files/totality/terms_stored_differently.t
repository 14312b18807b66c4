# Each term has loops of its own, so W is not converted to be merged with C.
tensor W f64[4,4] bcsr(2,2) = (0,1):1 (1,0):2 (3,3):3
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor C f64[4,2] csr = (0,0):10 (2,1):20
result Y dense
expr Y(i,k) = W(i,j) * X(j,k) + C(i,k)
> cin
{forall bi forall bj forall ri forall rj forall i forall j forall k Y(i,k) += W(bi,bj,ri,rj,i,j) * X(j,k); forall i forall k Y(i,k) += C(i,k)}
> out
Y = 13 4 2 4 0 20 21 24
