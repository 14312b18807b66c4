# A loop inside the one to split stays around both sides.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule precompute(B(i,k) * C(k,j), i, w)
expr A(i,j) = B(i,k) * C(k,j)
> error E0813
error[E0813]: the loop over `i` cannot be split: a loop inside of it stays around both sides
 --> schedule:1:1
  |
1 | precompute(B(i,k) * C(k,j), i, w)
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: reorder so that `i` is further inside, or name that loop's variable too
