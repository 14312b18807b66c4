# No workspace keeps a list of coordinates.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule precompute(B(i,k) * C(k,j), j, w, list)
expr A(i,j) = B(i,k) * C(k,j)
> error E0814
error[E0814]: no workspace keeps a list of coordinates beside dense values
 --> schedule:1:35
  |
1 | precompute(B(i,k) * C(k,j), j, w, list)
  |                                   ^^^^
  |
  = help: a `bitmap` finds its coordinates sorted, without a list
