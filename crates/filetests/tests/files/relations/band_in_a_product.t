# Several comparisons narrow one walk.
tensor A f64[4,4] csr = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
tensor x f64[4] dense = (0):1 (1):2 (2):3 (3):4
expr y(i) = A(i,j) * x(j) * (j - i <= 2) * (i - j <= 2)
> graph
i over the dimension
  where t
    j over A(i,j).2, kept to [j - i <= 2] and [i - j <= 2]
      t += A(i,j) * x(j)
  then
    y(i) = t
> out all-backends
y = 7 19 0 40
