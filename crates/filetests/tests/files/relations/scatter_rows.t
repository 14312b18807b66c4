# Rows are sent to rows, in one loop over what is stored.
tensor C f64[3,4] dense = (0,0):1
tensor p u8[4] dense = (0):2 (1):0 (2):2 (3):2
tensor A f64[4,4] csr = (0,1):1 (0,2):2 (2,1):4 (3,3):8
expr C(p(i),j) max= A(i,j)
> graph
c over the dimension
  j over the dimension
    C(c,j) = C_old(c,j)
i over the dimension
  c over [c == i64(p(i))]
    j over the dimension, between A(i,j).2
      in A(i,j).2
        C(c,j) max= A(i,j)
      in none
        C(c,j) max= 0.0
> out all-backends
C = (0,0):1 (2,1):4 (2,2):2 (2,3):8
