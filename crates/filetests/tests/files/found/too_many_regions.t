# A merge that would take too much code is done with a dense operand.
tensor A i64[2,2,2] coo = (0,1,1):3
tensor B i64[2,2,2] "csf; fill = 5" = (0,0,0):-4
tensor C i64[2,2] csf = (0,0):1 (0,1):-3
tensor D i64[2,2] csf = (0,0):1 (0,1):-3
tensor y i64[2,2,2,2] csf = (0,1,0,1):7
expr y(i,j,k,l) &= -(-(B(i,j,k) ^ A(i,j,k)) + C(i,l)) + D(j,k) * j
> out
y =
