# Tensor times vector.
tensor X f64[3,3,2] csf = (0,0,1):1 (0,2,0):2 (2,1,1):3 (2,1,0):4
tensor v f64[2] dense = 1 10
expr Y(i,j) = X(i,j,k) * v(k)
> cin
forall i forall j (Y(i,j) = t) where (forall k t += X(i,j,k) * v(k))
> graph
Y(i,j).1 appended, Y(i,j).2 appended
i over X(i,j,k).1
  j over X(i,j,k).2, with room for all
    where t
      k over X(i,j,k).3
        t += X(i,j,k) * v(k)
    then
      Y(i,j) = t, appended
> out
Y = (0,0):10 (0,2):2 (2,1):34
