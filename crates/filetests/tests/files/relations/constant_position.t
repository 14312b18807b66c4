# A literal is the only coordinate of a window; below zero, it counts from the end.
tensor A f64[3,4] csr = (0,0):1 (0,3):2 (2,1):3
expr y(j) = A(0,j) + A(-1,j)
> graph
c over the dimension
  c1 over the dimension
    j over regions of A(c(0:1),j).2, A(c1(-1:),j).2
      in A(c(0:1),j).2 & A(c1(-1:),j).2
        y(j) = A(c(0:1),j) + A(c1(-1:),j)
      in A(c(0:1),j).2
        y(j) = A(c(0:1),j)
      in A(c1(-1:),j).2
        y(j) = A(c1(-1:),j)
> out all-backends
y = 1 3 0 2
