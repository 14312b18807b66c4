# So are functions that are built in, and do not reduce.
tensor A f64[2,3] csr = (0,1):3 (1,0):4
expr y(i) = hypot(j, A(i,j))
> error E0214
error[E0214]: `hypot` does not reduce over `j`: it is not said to
 --> statement:1:8
  |
1 | y(i) = hypot(j, A(i,j))
  |        ^^^^^^^^^^^^^^^^
  |
  = help: a sum of its values at every coordinate is written: `y(i) = sum(j, hypot(j, A(i,j)))`
