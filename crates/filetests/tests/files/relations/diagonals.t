# A coordinate that is computed is asked for.
tensor A f64[4,4] dia = (0,0):1 (0,2):2 (1,0):3 (1,3):4 (3,0):5 (3,1):6 (3,3):7
expr y(i) = A(i,j) * (j < i) * (i > 1)
> graph
d over A(d,i,j).1
  i over A(d,i,j).2, kept to [i > 1]
    j once, at A(d,i,j).3
      y(i) += A(d,i,j) * f64(j < i)
> out all-backends
y = 0 0 0 11
