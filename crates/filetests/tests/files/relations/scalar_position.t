# One row, by the value of a scalar.
tensor A f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3
tensor s i64[] dense = 2
expr y(j) = A((s),j) + A((s - 2),j)
> graph
c over [c == s]
  c1 over [c1 == s - 2]
    j over regions of A(c,j).2, A(c1,j).2
      in A(c,j).2 & A(c1,j).2
        y(j) = A(c,j) + A(c1,j)
      in A(c,j).2
        y(j) = A(c,j)
      in A(c1,j).2
        y(j) = A(c1,j)
> out all-backends
y = 1 3 0 2
