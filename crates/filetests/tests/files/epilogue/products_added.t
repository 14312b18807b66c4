# Each product has its own loops over the whole result: what they read competes for the caches.
tensor W f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor Z f64[3,4] csr = (1,0):1 (1,3):2 (2,1):3
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
expr Y(i,k) = W(i,j) * X(j,k) + Z(i,j) * X(j,k)
> cin
{forall i forall j forall k Y(i,k) += W(i,j) * X(j,k); forall i forall j forall k Y(i,k) += Z(i,j) * X(j,k)}
> out
Y = 15 18 15 18 38 48
