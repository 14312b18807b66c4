# Two modes, each with a sum of its own.
tensor A f64[4,4] csr = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
tensor B f64[2,2] dense = (0,0):1 (0,1):10 (1,0):100 (1,1):1000
result C csr
expr C(i,j) = A(i+p,j+q) * B(p,q)
> graph
C(i,j).1 located, C(i,j).2 appended
i over the dimension
  j over the dimension
    where t
      p over the dimension
        c over [c == i + p]
          if A(c,c1).2 has elements
            q over the dimension
              c1 over A(c,c1).2, kept to [c1 == j + q]
                t += A(c,c1) * B(p,q)
    then
      C(i,j) = t, appended unless it is the fill value
> out all-backends
C = 301 20 4002 3 0 40 6500 600 7000
