# A scalar that is computed inside of the loop over `i` says nothing before it: the comparison is asked at each `i`.
tensor B f64[3,3] dense = (0,1):2 (1,2):4 (2,2):5
schedule precompute(i + 1, {}, w0)
expr y = B(i,j) * (max(i, -B(i,j)) * (i == (i + 1)))
> out all-backends
y = -0
