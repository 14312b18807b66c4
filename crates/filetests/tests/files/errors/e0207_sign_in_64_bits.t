# Within 64 bits as well.
tensor x u64[3] dense = 3 0 200
expr y(i) = max(x(i), -1)
> error E0207
error[E0207]: the number -1 does not fit the dtype u64
 --> statement:1:8
  |
1 | y(i) = max(x(i), -1)
  |        ^^^^^^^^^^^^^
