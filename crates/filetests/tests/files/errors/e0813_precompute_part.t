# A workspace is over whole variables.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor D f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
result A csr
schedule split(i,i0,i1,2); precompute(B(i,k)*C(k,j), i1, w)
expr A(i,j) = B(i,k) * C(k,j)
> error E0813
error[E0813]: `i1` is a part of `i`, and workspaces are over whole variables
 --> schedule:1:45
  |
1 | split(i,i0,i1,2); precompute(B(i,k)*C(k,j), i1, w)
  |                                             ^^
  |
  = help: name `i`
