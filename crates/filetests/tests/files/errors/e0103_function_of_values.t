# A call with a value among its arguments is one of a function, whatever stands first; near names are offered.
tensor A f64[3,4] csr = (0,1):2
expr y(i) = mx(0.5, A(i,j))
> error E0103
error[E0103]: there is no function `mx`
 --> statement:1:8
  |
1 | y(i) = mx(0.5, A(i,j))
  |        ^^
  |
  = help: did you mean `max`? functions have NumPy's names: sqrt, maximum, where…
