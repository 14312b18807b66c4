# A piece of positions is not split again.
tensor B f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
schedule pos(j,jpos,B(i,j)); split(jpos,j0,j1,2); split(j0,j2,j3,2)
expr y(i) = B(i,j) * x(j)
> error E0813
error[E0813]: `j0` is a part of something else already
 --> schedule:1:48
  |
1 | pos(j,jpos,B(i,j)); split(jpos,j0,j1,2); split(j0,j2,j3,2)
  |                                                ^^
  |
  = help: split a loop once
