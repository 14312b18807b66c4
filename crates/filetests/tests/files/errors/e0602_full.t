# A result that does not keep the promise of its format.
tensor A f64[2,2] csr = (0,1):2
result C f64 "(i,j) -> (i,j) : dense, compressed(full)"
expr C(i,j) = A(i,j)
> error E0602
error[E0602]: level 1 is declared full, but parent 0 has 1 of 2 coordinates
 |
 = help: do not declare the level full
