# A computed coordinate need not lie inside of its dimension where the kernel that reads what was reduced has no operand with
# computed coordinates: two differences of modes were taken for a loop in parts, and nothing asked.
tensor A i64[1,2,2] "(i,j,k) -> (j, (i)-(i), (k)-(i), k, i) : list(nonunique), singleton(nonunique), singleton(nonunique), singleton(nonunique), singleton" = (0,0,0):2 (0,1,1):-1
expr y(k,l) = min(j, A(l,j,k))
> out
y = 0 -1
