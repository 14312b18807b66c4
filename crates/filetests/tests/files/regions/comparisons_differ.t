# Where S is stored, either comparison may be false: a set known from above has no complement.
tensor S f64[4] sv = (0):0.3 (1):0.6 (3):0.1
expr y(i) = (S(i) > 0.5) != (S(i) > 0.2)
> graph
y(i).1 appended
i over S(i).1, with room for all
  y(i) = (S(i) > 0.5) != (S(i) > 0.2), appended unless it settles at the fill value
> lattice i
produce S(i).1
> out
y = true false false false
