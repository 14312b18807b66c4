# There is no `-=`.
tensor A f64[3,4] csr = (0,1):2
expr y(i) -= A(i,j)
> error E0102
error[E0102]: there is no `-=`; write `+= -(…)`
 --> statement:1:6
  |
1 | y(i) -= A(i,j)
  |      ^^
  |
  = help: a statement looks like y(i) = A(i,j) * x(j)
