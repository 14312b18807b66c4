tensor A i64[3] s = (0):3
tensor B i64[3] s = (1):5
expr def f(x) = f(x - 1); y(i) = f(A(i))
> error E0215
error[E0215]: `f` calls itself
 --> statement:1:12
  |
1 | def f(x) = f(x - 1); y(i) = f(A(i))
  |            ^
  |
  = help: functions are not recursive: write a loop, while c { … }
