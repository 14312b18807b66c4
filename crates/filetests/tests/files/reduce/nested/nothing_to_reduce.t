# The largest of no values is -inf, wherever there is no leaf to say so.
tensor A f64[2,3,0] csf =
expr y(i) = min(j, max(k, A(i,j,k)))
> out
y = -inf -inf
