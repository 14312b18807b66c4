# An expression that ends too early.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule precompute(B(i,j) *, j, w)
expr y(i) = B(i,j) * x(j)
> error E0811
error[E0811]: expected a tensor, a number or `(`
 --> schedule:1:20
  |
1 | precompute(B(i,j) *, j, w)
  |                    ^
  |
  = help: a schedule looks like reorder(i,k,j); precompute(B(i,k)*C(k,j), j, w)
