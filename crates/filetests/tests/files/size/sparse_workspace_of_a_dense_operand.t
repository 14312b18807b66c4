# A schedule adds up a dense operand in a hash table, which then holds every coordinate.
tensor A f64[2,3] dd = 1 0 2 0 0 3
result y s
schedule reorder(j,i); precompute(A(j,i), {i}, w1, hash)
expr y(i) = A(j,i)
> cin
(forall i y(i) = w1(i)) where[hash] (forall j forall i w1(i) += A(j,i))
> out
y = 1 0 5
