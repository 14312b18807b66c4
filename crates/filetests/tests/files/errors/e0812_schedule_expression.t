# An expression that no assignment holds.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule precompute(B(j,i), j, w)
expr y(i) = B(i,j) * x(j)
> error E0812
error[E0812]: no assignment holds `B(j,i)`
 --> schedule:1:12
  |
1 | precompute(B(j,i), j, w)
  |            ^^^^^^
  |
  = help: the statement is forall i (y(i) = t) where (forall j t += B(i,j) * x(j)) here
