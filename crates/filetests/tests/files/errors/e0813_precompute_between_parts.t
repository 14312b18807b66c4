# Loops between the parts of one that was split stay where they are.
tensor B f64[2,3] csr = (0,1):2
tensor X f64[3,2] dense = 1 2 3 4 5 6
schedule split(k,k0,k1,2); reorder(k0,i,j,k1); precompute(B(i,j)*X(j,k), k, w)
expr Y(i,k) = B(i,j) * X(j,k)
> error E0813
error[E0813]: another loop stands between the parts of one that was split
 --> schedule:1:39
  |
1 | split(k,k0,k1,2); reorder(k0,i,j,k1); precompute(B(i,j)*X(j,k), k, w)
  |                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: precompute before the loops are reordered
