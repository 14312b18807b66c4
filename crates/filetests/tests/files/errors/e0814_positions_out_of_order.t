# Pieces of positions are found before what is in them.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor D f64[2,3] csr = (0,1):2
tensor x f64[3] dense = 1 1 1
schedule pos(j,jpos,B(i,j)); split(jpos,j0,j1,2); reorder(i,j1,j0)
expr y(i) = B(i,j) * x(j)
> error E0814
error[E0814]: `j1` is a position within a piece, which is found first
 --> schedule:1:52
  |
1 | pos(j,jpos,B(i,j)); split(jpos,j0,j1,2); reorder(i,j1,j0)
  |                                                    ^^
  |
  = help: name the pieces before it
