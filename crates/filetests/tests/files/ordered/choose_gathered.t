# Values that positions say come in the order of these.
tensor p i64[5] dense = 3 1 4 1 0
tensor x f64[5] sv = (0):9 (1):2 (4):6
expr y = choose(i, x(p(i)))
> graph
where t
  i over the dimension, until t is not 0
    c over x(c).1, kept to [c == p(i)], until t is not 0
      t choose= x(c)
then
  y = t
> out all-backends
y = 2
