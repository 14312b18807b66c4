# All dense.
tensor A f64[2,2] dense = 1 2 3 4
tensor B f64[2,2] dense = 5 6 7 8
tensor C f64[2,2] dense = 10 20 30 40
expr Y(i,k) = A(i,j) * B(j,k) + C(i,k)
> cin
forall i {forall k Y(i,k) = C(i,k); forall j forall k Y(i,k) += A(i,j) * B(j,k)}
> out
Y = 29 42 73 90
