# A sum is taken first only where everything around it distributes over it.
tensor B f64[2,3] csr = (0,1):2
tensor C f64[3,2] csr = (1,0):3
tensor x f64[3] dense = 1 1 1
schedule precompute(B(i,j), {}, w)
expr y(i) = sum(j, B(i,j) + 1)
> error E0813
error[E0813]: `add` does not distribute over `add`
 --> schedule:1:12
  |
1 | precompute(B(i,j), {}, w)
  |            ^^^^^^
  |
  = help: name a larger expression, or the variables of those loops as well
