# On the other side too.
tensor x i64[3] dense = 3 0 200
expr y(i) = x(i) & 9223372036854775808
> error E0207
error[E0207]: the number 9223372036854775808 does not fit the dtype i64
 --> statement:1:8
  |
1 | y(i) = x(i) & 9223372036854775808
  |        ^^^^^^^^^^^^^^^^^^^^^^^^^^
