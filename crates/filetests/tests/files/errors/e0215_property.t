tensor A i64[3] s = (0):3
tensor B i64[3] s = (1):5
expr def f(x): monotone = x; y(i) = f(A(i))
> error E0215
error[E0215]: `monotone` is no property of functions
 --> statement:1:11
  |
1 | def f(x): monotone = x; y(i) = f(A(i))
  |           ^^^^^^^^
  |
  = help: known are commutative, associative, idempotent, identity(v), annihilator(v), distributes over add, and where it is not the same everywhere: {x != 0} | {y != 0}
