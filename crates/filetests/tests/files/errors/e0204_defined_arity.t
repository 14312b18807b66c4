tensor A i64[3] s = (0):3
tensor B i64[3] s = (1):5
expr def f(x, y) = x * y; y(i) = f(A(i))
> error E0204
error[E0204]: `f` takes 2 arguments, got 1
 --> statement:1:29
  |
1 | def f(x, y) = x * y; y(i) = f(A(i))
  |                             ^^^^^^^
