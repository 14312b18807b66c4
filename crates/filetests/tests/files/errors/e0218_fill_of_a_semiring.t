# An operand of a semiring has what is nothing as its fill value.
tensor G f64[3,3] csr = (0,1):1 (1,2):1
tensor l f64[3] dense = 5 6 7
expr y(i) = min_second(j, G(i,j), l(j))
> error E0218
error[E0218]: `G(i,j)` is 0 where nothing is stored, which is a value to `min_second`: to it, inf is nothing
 --> statement:1:22
  |
1 | y(i) = min_second(j, G(i,j), l(j))
  |                      ^^^^^^
  |
  = help: give it that fill value, as asarray(G, fill_value=inf) does, or a dense array
