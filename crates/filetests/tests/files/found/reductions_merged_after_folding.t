# What is left after folding is a sum over `k` of a sum over another `k`.
tensor B bool[2,3] dd =
expr y = sum(k, i, sum(k, k) ^ (B(k,i) & false))
> cin
(y = t) where (forall k forall i forall k1 t += k1)
> out
y = 6
