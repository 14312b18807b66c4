# Another reduction than the sum is negated as a whole.
tensor A f64[2,2] dense = 2 3 5 7
tensor B f64[2,2] csc = (0,0):1 (1,0):-4 (0,1):2
expr y(i) = B(i,j) - prod(k, A(i,k))
> cin
{forall i (y(i) = -t) where (forall k t *= A(i,k)); forall j forall i y(i) += B(i,j)}
> out
y = -3 -39
