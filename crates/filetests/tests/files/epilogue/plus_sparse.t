# What is zero where nothing is stored is added to the row as well.
tensor W f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor C f64[3,2] csr = (0,1):10 (1,0):20
expr Y(i,k) = W(i,j) * X(j,k) + C(i,k)
> cin
forall i {forall j forall k Y(i,k) += W(i,j) * X(j,k); forall k Y(i,k) += C(i,k)}
> out
Y = 15 28 20 0 29 36
