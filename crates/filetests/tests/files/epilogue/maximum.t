# Another reduction.
tensor W f64[3,4] "csr; fill = -inf" = (0,0):1 (0,3):2 (2,1):3 (2,2):4
tensor X f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor b f64[3] dense = 10 -100 30
expr Y(i,k) = max(b(i), max(j, W(i,j) + X(j,k)))
> cin
forall i {forall k Y(i,k) = b(i); forall j forall k Y(i,k) max= W(i,j) + X(j,k)}
> out
Y = 10 10 -100 -100 30 30
