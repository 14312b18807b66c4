# Beside a factor that is not stored, a position is not needed.
tensor A f64[2,3] csr = (0,0):2 (1,2):3
tensor x f64[2] dense = 10 11
tensor p i64[3] dense = 1 99 0
expr y(i) = A(i,j) * x(p(j))
> graph
i over the dimension
  where t
    j over A(i,j).2
      c over [c == p(j)]
        t += A(i,j) * x(c)
  then
    y(i) = t
> out all-backends
y = 22 30
