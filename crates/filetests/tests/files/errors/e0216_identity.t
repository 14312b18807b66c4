tensor A i64[3] s = (0):3
tensor B i64[3] s = (1):5
expr def f(x, y): commutative, associative, identity(1) = x + y; y = f(i, A(i))
> error E0216
error[E0216]: `f` is not the other argument beside 1: f(1, 0) is 1
 --> statement:1:40
  |
1 | def f(x, y): commutative, associative, identity(1) = x + y; y = f(i, A(i))
  |                                        ^^^^^^^^^^^^^            ---------- called here
  |
  = help: say only what holds for all arguments
