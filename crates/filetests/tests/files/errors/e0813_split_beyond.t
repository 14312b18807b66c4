# Coordinates are counted in 64 bits with a sign.
tensor x f64[3] dense = 1 1 1
schedule split(i,i0,i1,9223372036854775808)
expr y(i) = x(i)
> error E0813
error[E0813]: a part of a split loop has fewer than 2^63 rounds
 --> schedule:1:15
  |
1 | split(i,i0,i1,9223372036854775808)
  |               ^^^^^^^^^^^^^^^^^^^
  |
  = help: 32 is a good start
