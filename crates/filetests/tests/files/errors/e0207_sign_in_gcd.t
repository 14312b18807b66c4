# In every function.
tensor x u8[3] dense = 3 0 200
expr y(i) = gcd(x(i), -4)
> error E0207
error[E0207]: the number -4 does not fit the dtype u8
 --> statement:1:8
  |
1 | y(i) = gcd(x(i), -4)
  |        ^^^^^^^^^^^^^
