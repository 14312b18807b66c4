# What A leaves out is combined as well, so the workspace holds every i: elements are those with something in them.
tensor A i64[1] s =
schedule precompute(A(i) & A(i), {i}, w0, bitmap); precompute(A(i), {i}, w0)
result y s
expr y(i) = A(i) & A(i)
> out
y = 0
