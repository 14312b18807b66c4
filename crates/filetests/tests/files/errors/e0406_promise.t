# What a result's pattern will be cannot be promised.
tensor A f64[2,2] csr = (0,1):2
result C f64 "(i,j) -> (i,j) : dense, compressed(full)"
expr C(i,j) = A(i,j)
> error E0406
error[E0406]: the result `C` cannot be assembled in the format (i0,i1) -> (i0,i1) : dense, compressed(full) ; pos = i64 ; crd = i32
 --> statement:1:1
  |
1 | C(i,j) = A(i,j)
  | ^^^^^^^^^^^^^^^
  |
  = help: use dense and compressed levels, or coo; a singleton needs a nonunique level above it
