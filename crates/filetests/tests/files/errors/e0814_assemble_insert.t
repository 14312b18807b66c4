# A sparse result is appended to.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
result A csr
schedule assemble(A,Insert)
expr A(i,j) = 2 * B(i,j)
> error E0814
error[E0814]: a symbolic pass that makes room for elements of `A` to be inserted is made for conversions only
 --> schedule:1:12
  |
1 | assemble(A,Insert)
  |            ^^^^^^
  |
  = help: precompute into a workspace, which is appended to it
