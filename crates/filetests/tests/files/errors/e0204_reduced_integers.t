# As an argument an integer is converted; what a reduction is of decides what it gives.
tensor A i64[2,2] csr = (0,1):3 (1,0):-2
expr y(i) = logaddexp(j, A(i,j))
> error E0204
error[E0204]: `logaddexp` cannot reduce values of dtype i64
 --> statement:1:8
  |
1 | y(i) = logaddexp(j, A(i,j))
  |        ^^^^^^^^^^^^^^^^^^^^
  |
  = help: it reduces floats: convert what it reduces, `f64(…)`, as `logaddexp` of two arguments does
