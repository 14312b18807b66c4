# A loop is unrolled by a small number of rounds.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule unroll(j,1000)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: a loop is unrolled by 2 to 64 rounds, not 1000
 --> schedule:1:10
  |
1 | unroll(j,1000)
  |          ^^^^
  |
  = help: 4 is a good start
