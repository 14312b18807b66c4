# A maximum looks at zeros as well, so the whole row counts; where a mask says otherwise, the rest changes nothing.
tensor A f64[3,3] csr = (0,0):-1 (1,0):-3 (1,1):-2 (2,0):-4 (2,1):-5 (2,2):-6
expr y(i) = max(j, where(j <= i, A(i,j), 0))
> graph
i over the dimension
  where t
    j over the dimension, between A(i,j).2, kept to [j <= i]
      in A(i,j).2
        t max= A(i,j)
      in none
        t max= 0.0
  then
    y(i) = t
> out all-backends
y = 0 0 -4
