# Computed indices are refused by name.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = A(i,j+1)
> error E0103
error[E0103]: an index must be a plain variable; computed indices are not supported yet
 --> statement:1:12
  |
1 | y(i) = A(i,j+1)
  |            ^^^
  |
  = help: write the index alone, and take another part by a window, as in `A(i,j(1:))`
