# Loops that run a sequence are not exchanged.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
result y dense
schedule precompute(B(i,j), {}, y); reorder(j,i)
expr y(i,j) = B(i,j) + 1
> error E0813
error[E0813]: the loops run a sequence, which sets a tensor in stages; such loops are not exchanged
 --> schedule:1:28
  |
1 | precompute(B(i,j), {}, y); reorder(j,i)
  |                            ^^^^^^^^^^^^
  |
  = help: reorder before the sequence is made
