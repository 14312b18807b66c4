# A product that is subtracted is added with its first factor negated.
tensor W f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor C f64[3,2] dense = 10 20 30 40 50 60
expr Y(i,k) = C(i,k) - W(i,j) * X(j,k)
> cin
forall i {forall k Y(i,k) = C(i,k); forall j forall k Y(i,k) += -W(i,j) * X(j,k)}
> out
Y = -5 2 30 40 21 24
