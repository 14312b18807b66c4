# The sum over j repeats a reader that does not use j: the workspace must not combine the rounds itself.
tensor A i64[2,3] dense = 7 3 1 2 6 4
schedule precompute(A(j,l), {l}, w, bitmap)
expr y = sum(j, max(l, A(j,l)))
> cin
(y = t) where (forall j ((t += t1) where (forall l t1 max= w(l))) where[bitmap] (forall l w(l) = A(j,l)))
> out
y = 13
