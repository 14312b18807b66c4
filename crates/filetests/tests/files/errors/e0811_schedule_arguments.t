# A command with other arguments than it takes.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule unroll(i)
expr y(i) = B(i,j) * x(j)
> error E0811
error[E0811]: `unroll` takes other arguments
 --> schedule:1:1
  |
1 | unroll(i)
  | ^^^^^^^^^
  |
  = help: write unroll(i,4)
