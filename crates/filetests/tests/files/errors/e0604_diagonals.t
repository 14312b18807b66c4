# Diagonals below the main one have negative numbers.
tensor A f64[2,2] csr = (1,0):1
result B f64 "dia; crd = u32"
expr B(i,j) = A(i,j)
> error E0604
error[E0604]: coordinates of `B` go from -1 to 1, beyond u32
 |
 = help: give it wider coordinates: `; crd = i64`
