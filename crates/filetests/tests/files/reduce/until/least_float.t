# Minus infinity decides nothing: NaN may follow.
tensor x f64[3] dense = (0):-inf (1):nan (2):1
expr y = min(i, x(i))
> graph
where t
  i over the dimension
    t min= x(i)
then
  y = t
> out
y = -inf
