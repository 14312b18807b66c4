# A dense product sampled where S is stored; the result has the pattern of S.
tensor S f64[4,4] csr = (0,0):1 (0,3):2 (2,1):3 (2,2):4 (3,0):5
tensor P f64[4,2] dense = 1 2 3 4 5 6 7 8
tensor Q f64[4,2] dense = 1 0 0 1 1 1 2 2
expr Y(i,j) = S(i,j) * P(i,k) * Q(j,k)
> cin
forall i forall j (Y(i,j) = t) where (forall k t += S(i,j) * P(i,k) * Q(j,k))
> graph
Y(i,j).1 located, Y(i,j).2 appended
i over the dimension
  j over S(i,j).2, with room for all
    where t
      k over the dimension
        t += S(i,j) * P(i,k) * Q(j,k)
    then
      Y(i,j) = t, appended unless it settles at the fill value
> out
Y = (0,0):1 (0,3):12 (2,1):18 (2,2):44 (3,0):35
