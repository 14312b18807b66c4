# Loops over parts of a range are not made.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule split(i,i0,i1,32)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: `split` would need loops over parts of a range, which lowering does not make
 --> schedule:1:1
  |
1 | split(i,i0,i1,32)
  | ^^^^^^^^^^^^^^^^^
  |
  = help: parallelize(i) cuts a loop by itself, unroll(i,4) takes rounds together; bcsr(4,4) splits by storage
