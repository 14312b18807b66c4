# A dense result is not appended to.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule assemble(y,Append)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: `y` is dense, so every element has its place
 --> schedule:1:12
  |
1 | assemble(y,Append)
  |            ^^^^^^
  |
  = help: say assemble(y,Insert), or store it sparse
