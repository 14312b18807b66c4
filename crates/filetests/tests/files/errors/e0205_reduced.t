# A reduction over a variable that its body lacks.
tensor A f64[3,4] csr = (0,1):2
expr y(j) = min(i, 2) + sum(i, A(i,j))
> error E0205
error[E0205]: `i` cannot be reduced here: it must appear in the body, once reduced
 --> statement:1:8
  |
1 | y(j) = min(i, 2) + sum(i, A(i,j))
  |        ^^^^^^^^^
