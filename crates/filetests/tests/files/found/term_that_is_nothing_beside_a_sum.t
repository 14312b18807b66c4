# The sum around both terms has the variable of a sum in one of them, and nothing else is left that reads it.
tensor B i64[3] dense = 1 2 4
expr y = sum(i, (B(i) * 0) | sum(i, B(i)))
> cin
(y = t) where (forall i forall i1 t += B(i1))
> out
y = 21
