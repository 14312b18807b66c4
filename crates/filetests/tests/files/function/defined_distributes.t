# A sum is taken first through a function that distributes over it.
tensor B f64[2,3] csr = (0,0):1 (0,1):2 (1,2):4
tensor x f64[2] dense = 3 5
schedule precompute(B(i,j), {}, w)
expr def scaled(a, b): distributes over add = 2 * a * b; y(i) = sum(j, scaled(B(i,j), x(i)))
> cin
forall i ((y(i) = t) where (t = scaled(w, x(i)))) where (forall j w += B(i,j))
> out
y = 18 40
