tensor A i64[3] s = (0):3
tensor B i64[3] s = (1):5
expr def f(x) { x = 2; x }; y(i) = f(A(i))
> error E0215
error[E0215]: `x` is a parameter, and keeps its value
 --> statement:1:12
  |
1 | def f(x) { x = 2; x }; y(i) = f(A(i))
  |            ^
  |
  = help: write let t = x; and give t other values
