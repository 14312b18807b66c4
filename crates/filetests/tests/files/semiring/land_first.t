# What both store meets, also where it is false.
tensor A bool[3,3] csr = (0,0):true (0,1):false (1,1):true (2,0):true (2,2):true
tensor x bool[3] sv = (0):false (1):true
expr y(i) = land_first(j, A(i,j), x(j))
> cin
forall i (y(i) = t) where (forall j t &= where(A_stored(i,j) & x_stored(j), A(i,j), true))
> graph
y(i).1 appended
i over the dimension
  where t
    j over regions of A(i,j).2, A_stored(i,j).2, x_stored(j).1, until t is false
      in A(i,j).2 & A_stored(i,j).2 & x_stored(j).1
        t &= where(A_stored(i,j) & x_stored(j), A(i,j), true)
      in A_stored(i,j).2 & x_stored(j).1
        t &= where(A_stored(i,j) & x_stored(j), false, true)
  then
    y(i) = t, appended unless it is the fill value
> out
y = false true true
