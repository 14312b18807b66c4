# What says a place is known before it is written, where it has to be searched for as well.
tensor y i64[4] dense =
tensor p i64[5] sv = (1):2 (3):2
tensor x i64[5] dense = (0):1 (1):2 (2):4 (3):8 (4):16
expr y(p(i)) += x(i)
> graph
c over the dimension
  y(c) = y_old(c)
i over the dimension, beside p(i).1
  in p(i).1
    where t
      t += p(i)
    then
      c over [c == t]
        y(c) += x(i)
  in none
    c over [c == t]
      y(c) += x(i)
> out all-backends
y = 21 0 10 0
