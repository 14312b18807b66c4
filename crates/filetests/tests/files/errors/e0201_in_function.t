tensor A i64[3] s = (0):3
tensor B i64[3] s = (1):5
expr def f(x) = x + B; y(i) = f(A(i))
> error E0201
error[E0201]: there is no `B` in this function
 --> statement:1:16
  |
1 | def f(x) = x + B; y(i) = f(A(i))
  |                ^
  |
  = help: a function knows its parameters, what it defines with `let`, and functions that are defined before it
