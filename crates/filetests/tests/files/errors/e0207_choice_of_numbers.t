# A choice between numbers is one of them.
tensor x u8[3] dense = 3 0 200
expr y(i) = x(i) + where(x(i) > 1, -1, 1)
> error E0207
error[E0207]: the number -1 does not fit the dtype u8
 --> statement:1:8
  |
1 | y(i) = x(i) + where(x(i) > 1, -1, 1)
  |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
