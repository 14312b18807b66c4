# Where only `b` is stored nothing is left to tell it from a gap: the coordinate still has its value.
tensor a i64[3] sv = (1):1
tensor b i64[3] sv = (1):1 (2):3
tensor c i64[3] dense = 0 1 5
expr y(i) = c(i) ^ (b(i) * a(i))
> graph
i over the dimension, between b(i).1 and a(i).1
  in b(i).1 & a(i).1
    y(i) = c(i) ^ b(i) * a(i)
  in none
    y(i) = c(i)
> out
y = 0 0 5
