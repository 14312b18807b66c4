# Both modes of the result are places that one variable says.
tensor D f64[3,3] csr = (0,1):1 (1,1):5
tensor x f64[3] dense = (0):2 (1):4 (2):8
expr D(i,i) += x(i)
> graph
D(c,c1).1 located, D(c,c1).2 appended
where t
  i over the dimension
    c over [c == i]
      c1 over [c1 == i]
        t(c,c1) += x(i)
then
  c over the dimension
    c1 over the dimension, beside D_old(c,c1).2
      in D_old(c,c1).2
        D(c,c1) = D_old(c,c1) + t(c,c1), appended unless it is the fill value
      in none
        D(c,c1) = t(c,c1), appended unless it is the fill value
> out all-backends
D = (0,0):2 (0,1):1 (1,1):9 (2,2):8
