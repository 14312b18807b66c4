# A literal outside its dtype.
tensor A u8[3] sv =
expr y(i) = A(i) + 300
> error E0207
error[E0207]: the number 300 does not fit the dtype u8
 --> statement:1:8
  |
1 | y(i) = A(i) + 300
  |        ^^^^^^^^^^
