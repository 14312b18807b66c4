tensor A i64[3] s = (0):3
tensor B i64[3] s = (1):5
expr def f(x, y): {x != 0} & {y != 0} = x + y; y(i) = f(A(i), B(i))
> error E0216
error[E0216]: `f` is not one value outside of where it is said to be another: f(0, 0) is 0, f(1, 0) is 1
 --> statement:1:14
  |
1 | def f(x, y): {x != 0} & {y != 0} = x + y; y(i) = f(A(i), B(i))
  |              ^^^^^^^^^^^^^^^^^^^^^               ------------- called here
  |
  = help: say only what holds for all arguments
