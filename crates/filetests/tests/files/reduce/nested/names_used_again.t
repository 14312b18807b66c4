# Reductions over variables that are bound around them as well.
tensor C i64[1,4,1] "(i,j,k) -> (i,j,k) : compressed, dense, dense; fill = -1" = (0,3,0):4
tensor D f64[1,4] ss = (0,0):1 (0,2):0
tensor T i64[1,4,1] "dense; fill = -1" =
expr y = D(i,j) * sum(k, fmax(all(k, min(j, !C(i,j,k))), T(i,j,k)))
> graph
where t
  i over regions of D(i,j).1, C(i,j1,k1).1
    in D(i,j).1 & C(i,j1,k1).1
      j over D(i,j).2
        where t1
          where t2
            where t4
              j1 over the dimension
                k1 over the dimension
                  t4(k1) += stored(!C(i,j1,k1), 1)
            then
              where t3
                j1 over the dimension
                  k1 over the dimension
                    t3(k1) min= stored(!C(i,j1,k1))
              then
                k1 over the dimension
                  t2 &= with_fill(min, t3(k1), t4(k1), 0, j1)
          then
            k over the dimension
              t1 += fmax(t2, T(i,j,k))
        then
          t += D(i,j) * f64(t1)
    in D(i,j).1
      j over D(i,j).2
        where t1
          where t2
            k1 over the dimension
              t2 &= with_fill(min, 9223372036854775807, 0, 0, j1)
          then
            k over the dimension
              t1 += fmax(t2, T(i,j,k))
        then
          t += D(i,j) * f64(t1)
then
  y = t
> out
y = -1
