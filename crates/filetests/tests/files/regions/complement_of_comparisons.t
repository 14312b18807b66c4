tensor C f64[5] sv = (0):-1 (1):0.5 (3):2
expr y(i) = !((C(i) < 0) ^ (C(i) >= 1))
> graph
y(i).1 appended
i over C(i).1, with room for all
  y(i) = !((C(i) < 0.0) ^ (C(i) >= 1.0)), appended unless it settles at the fill value
> out
y = false true true false true
