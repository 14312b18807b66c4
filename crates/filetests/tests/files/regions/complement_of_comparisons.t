tensor C f64[5] sv = (0):-1 (1):0.5 (3):2
expr y(i) = !((C(i) < 0) ^ (C(i) >= 1))
> graph
i over C(i).1
  y(i) = !((C(i) < 0.0) ^ (C(i) >= 1.0))
> out
y = false true true false true
