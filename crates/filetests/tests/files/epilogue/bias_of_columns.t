# A row of the result starts as the bias of its columns.
tensor W f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor c f64[2] dense = 10 20
expr Y(i,k) = W(i,j) * X(j,k) + c(k)
> cin
forall i {forall k Y(i,k) = c(k); forall j forall k Y(i,k) += W(i,j) * X(j,k)}
> out
Y = 25 38 10 20 39 56
