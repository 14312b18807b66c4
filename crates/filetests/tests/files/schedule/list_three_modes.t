# A workspace over three variables, filled against its order.
tensor B f64[3,4,2] csf:2,1,0 = (0,1,1):1 (0,3,0):2 (2,1,1):3 (2,1,0):4 (1,0,1):5
result A csf
schedule precompute(2*B(i,j,k), {i,j,k}, w, list)
expr A(i,j,k) = 2 * B(i,j,k)
> cin
(forall i forall j forall k A(i,j,k) = w(i,j,k)) where[list] (forall k forall j forall i w(i,j,k) = 2.0 * B(i,j,k))
> out
A = (0,1,1):2 (0,3,0):4 (1,0,1):10 (2,1,0):8 (2,1,1):6
