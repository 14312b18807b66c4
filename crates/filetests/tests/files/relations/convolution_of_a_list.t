# A list is searched for what the variables outside say.
tensor x f64[6] sv = (1):2 (4):5
tensor w f64[3] dense = (0):1 (1):10 (2):100
result y sv
expr y(i) = x(i-d+2) * w(d)
> cin
forall i (y(i) = t) where (forall d forall c t += where(c == i - d + 2, x(c) * w(d), 0.0))
> graph
y(i).1 appended
i over the dimension
  where t
    d over the dimension
      c over x(c).1, kept to [c == i - d + 2]
        t += x(c) * w(d)
  then
    y(i) = t, appended unless it is the fill value
> out all-backends
y = 20 200 5 50
