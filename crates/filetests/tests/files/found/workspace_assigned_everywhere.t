# The workspace holds every j, and what it is multiplied with is dense: nothing that is stored leads to an element.
tensor A f64[1] dense =
tensor B f64[1,2] ds =
schedule precompute(B(i,j) + f64(j), {i,j}, w0, list); reorder(i,j)
result y ds
expr y(i,j) = (B(i,j) + j) * A(i)
> out
y = 0 0
