# In functions.
tensor x u8[3] dense = 3 0 200
expr def f(u) = -1; y(i) = max(x(i), f(x(i)))
> error E0207
error[E0207]: the number -1 does not fit the dtype u8
 --> statement:1:5
  |
1 | def f(u) = -1; y(i) = max(x(i), f(x(i)))
  |     ^
